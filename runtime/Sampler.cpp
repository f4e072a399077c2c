#include "runtime/Sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem {

namespace {

constexpr float minusInfinity = -std::numeric_limits<float>::infinity();

/// Order of a heap with the most probable token, the lowest id of equals, on
/// top. Logits, not weights: those may be equal where logits are not.
constexpr auto lessProbable = [](const auto &a, const auto &b) {
  return a.logit != b.logit ? a.logit < b.logit : a.id > b.id;
};

/// Uniform in [0, 1), all 53 bits of a double.
/// std::uniform_real_distribution differs between libraries.
double drawUnit(std::mt19937_64 &generator) {
  return static_cast<double>(generator() >> 11) * 0x1p-53;
}

} // namespace

bool isTemperature(double value) { return std::isfinite(value) && value > 0; }

bool isProbability(double value) { return value >= 0 && value <= 1; }

Result<void> SamplingOptions::validate() const {
  if (greedy)
    return {};
  if (!isTemperature(temperature))
    return failure("temperature: got {}, expected a finite number above 0 "
                   "(greedy decoding is an option of its own)",
                   temperature);
  if (topK < 0)
    return failure("top-k: got {}, expected 0 (no limit) or more", topK);
  if (!isProbability(topP))
    return failure("top-p: got {}, expected 0 to 1", topP);
  return {};
}

Sampler::Sampler(const SamplingOptions &options, size_t vocabularySize)
    : options(options), vocabularySize(vocabularySize),
      generator(options.seed) {
  if (options.greedy)
    return;
  candidates.reserve(vocabularySize);
  if (options.topK > 0)
    sortedLogits.resize(vocabularySize);
}

Result<Sampler> Sampler::create(const SamplingOptions &options,
                                size_t vocabularySize) {
  if (auto valid = options.validate(); !valid)
    return std::unexpected(valid.error());
  if (vocabularySize == 0)
    return failure("sampler: got a vocabulary of 0 tokens, expected 1 or more");
  return Sampler(options, vocabularySize);
}

Result<int32_t> Sampler::sample(std::span<const float> logits) {
  Result<int32_t> best = largest(logits);
  if (!best || options.greedy)
    return best;
  double total = weigh(logits, logits[*best], topKThreshold(logits));
  if (options.topP < 1)
    total = keepTopP(total);
  return draw(total);
}

Result<int32_t> Sampler::largest(std::span<const float> logits) const {
  if (logits.size() != vocabularySize)
    return failure("sampler: got {} logits, expected {}", logits.size(),
                   vocabularySize);
  size_t best = 0;
  for (size_t id = 0; id < logits.size(); ++id) {
    if (std::isnan(logits[id]) ||
        logits[id] == std::numeric_limits<float>::infinity())
      return failure("sampler: logit of token {}: got {}, expected a finite "
                     "number or -inf",
                     id, logits[id]);
    if (logits[id] > logits[best])
      best = id;
  }
  if (logits[best] == minusInfinity)
    return failure("sampler: all {} logits are -inf, expected a finite one",
                   logits.size());
  return static_cast<int32_t>(best);
}

/// The k-th largest logit; minus infinity where there is no limit.
float Sampler::topKThreshold(std::span<const float> logits) {
  if (options.topK == 0 || static_cast<uint64_t>(options.topK) >= logits.size())
    return minusInfinity;
  std::ranges::copy(logits, sortedLogits.begin());
  auto kth = sortedLogits.begin() + (options.topK - 1);
  std::ranges::nth_element(sortedLogits, kth, std::greater{});
  return *kth;
}

/// Fills `candidates` by id with what the threshold lets through; returns the
/// sum of their weights. The largest logit's weight is 1, so nothing overflows.
double Sampler::weigh(std::span<const float> logits, float largest,
                      float threshold) {
  candidates.clear();
  double total = 0;
  for (size_t id = 0; id < logits.size(); ++id) {
    if (logits[id] < threshold || logits[id] == minusInfinity)
      continue;
    double below = static_cast<double>(logits[id]) - largest;
    double weight = std::exp(below / options.temperature);
    candidates.push_back({weight, logits[id], static_cast<int32_t>(id)});
    total += weight;
  }
  return total;
}

/// Leaves the most probable candidates, best first; returns the sum of their
/// weights. A heap, since most of the vocabulary need not be put in order.
double Sampler::keepTopP(double total) {
  double wanted = options.topP * total;
  double kept = 0;
  std::ranges::make_heap(candidates, lessProbable);
  auto end = candidates.end();
  do {
    // Moves the best of [begin, end) to just before `end`.
    std::ranges::pop_heap(candidates.begin(), end, lessProbable);
    --end;
    kept += end->weight;
  } while (kept < wanted && end != candidates.begin());
  std::reverse(end, candidates.end());
  candidates.erase(candidates.begin(), end);
  return kept;
}

int32_t Sampler::draw(double total) {
  double target = drawUnit(generator) * total;
  double sum = 0;
  for (const Candidate &candidate : candidates) {
    sum += candidate.weight;
    if (target < sum)
      return candidate.id;
  }
  // Only where the product above was rounded up to the sum itself.
  auto last = std::ranges::find_if(
      candidates.rbegin(), candidates.rend(),
      [](const Candidate &candidate) { return candidate.weight > 0; });
  return last->id;
}

} // namespace tandem
