#pragma once

#include "support/Result.h"

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace tandem {

/// What the options below may be.
bool isTemperature(double value); // finite, above 0
bool isProbability(double value); // 0 to 1

/// How a token is chosen, in Hugging Face's terms (`do_sample=False` is
/// `greedy`). The other options count only where it is off.
struct SamplingOptions {
  bool greedy = true;
  double temperature = 1.0; // finite, above 0
  int64_t topK = 0;         // 0: no limit
  double topP = 1.0;        // 0 to 1; 1: no limit
  uint64_t seed = 0;

  /// Names the first option that is out of its range. Greedy needs none.
  Result<void> validate() const;
};

/// Chooses tokens: temperature, then top-k, then top-p, then a draw. One
/// sampler a sequence; one thread at a time.
///
/// The draws of a seed are the same on every machine: the generator is
/// mt19937_64, one draw a token, and all arithmetic after the logits is
/// ordered double precision.
class Sampler {
public:
  /// Allocates all that `sample` will ever need. Fails where the options do not
  /// validate or `vocabularySize` is 0.
  static Result<Sampler> create(const SamplingOptions &options,
                                size_t vocabularySize);

  /// Moved only: a copy would not keep the room that was reserved.
  Sampler(Sampler &&) = default;
  Sampler &operator=(Sampler &&) = default;

  /// The id chosen from `logits` [vocabularySize]. Allocates nothing.
  ///
  /// Greedy: the largest, the lowest id of equals.
  /// Top-k keeps every token whose logit is at least the k-th largest, so more
  /// than k where there are equals.
  /// Top-p keeps the fewest most probable tokens whose probability, of what
  /// top-k kept, is at least p, and always one; of equals the lowest ids.
  /// A logit of minus infinity has probability 0. Fails on another number of
  /// logits, on NaN or plus infinity, and where all are minus infinity.
  Result<int32_t> sample(std::span<const float> logits);

private:
  struct Candidate {
    double weight; // probability before it is divided by the sum
    float logit;
    int32_t id;
  };

  Sampler(const SamplingOptions &options, size_t vocabularySize);

  Result<int32_t> largest(std::span<const float> logits) const;
  float topKThreshold(std::span<const float> logits);
  double weigh(std::span<const float> logits, float largest, float threshold);
  double keepTopP(double total);
  int32_t draw(double total);

  SamplingOptions options;
  size_t vocabularySize;
  std::mt19937_64 generator;
  std::vector<float> sortedLogits;   // as much room as the vocabulary needs,
  std::vector<Candidate> candidates; // both
};

} // namespace tandem
