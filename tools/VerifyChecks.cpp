#include "tools/VerifyChecks.h"

#include "runtime/Evaluate.h"
#include "tools/Command.h"
#include "tools/PrepareModel.h"
#include "tools/RandomTokens.h"

#include <algorithm>
#include <cmath>

namespace tandem {

namespace {

/// Logits of every row, [rows, vocab].
using Logits = std::vector<float>;

Result<Logits> logitsOf(Session &session, std::span<const int32_t> ids,
                        Via via) {
  Logits all;
  auto ran =
      evaluate(session, ids, via, [&](int64_t, std::span<const float> rows) {
        all.insert(all.end(), rows.begin(), rows.end());
      });
  if (!ran)
    return std::unexpected(ran.error());
  return all;
}

/// What float32 may differ by after summing in another order, as a share of
/// the largest logit: the project's bound for its reference checkpoints, 170
/// roundings of 2^-23, for the some 100 sums that lie behind a logit one
/// after another.
double budgetFor(const Logits &expected) {
  double largest = 0;
  for (float logit : expected)
    largest = std::max<double>(largest, std::abs(logit));
  return 2e-5 * largest;
}

/// `got` against as many rows of the reference, from row 0 on.
Check compare(const std::string &name, const Logits &got,
              const Logits &reference, int64_t vocabSize) {
  Check check = {name, 0, budgetFor(reference), ""};
  for (size_t i = 0; i < got.size(); ++i) {
    double error = std::abs(static_cast<double>(got[i]) - reference[i]);
    if (error > check.maxError || std::isnan(error)) {
      check.maxError = std::isnan(error) ? INFINITY : error;
      check.where =
          fmt::format("row {}, logit {}", i / vocabSize, i % vocabSize);
    }
  }
  return check;
}

Result<std::unique_ptr<Session>> start(ModelOptions options, Mode mode) {
  options.mode = mode;
  ProgramUse use = {.cached = true, .uncached = true, .everyRow = true};
  auto model = prepareModel(options, use);
  if (!model)
    return std::unexpected(model.error());
  return startSession(*model, options, use);
}

/// Lengths that fill and that just miss each bucket.
std::vector<int64_t> lengths(std::vector<int64_t> buckets, int64_t positions) {
  std::vector<int64_t> result = {1};
  buckets.push_back(positions);
  for (int64_t bucket : buckets)
    for (int64_t length : {bucket - 1, bucket})
      if (length >= 1 && length <= positions)
        result.push_back(length);
  std::ranges::sort(result);
  auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

/// Compares starts of one text, run in several ways, with the whole of it.
class Comparison {
public:
  /// Runs the text through `reference`, without a cache.
  static Result<Comparison> start(Session &reference) {
    Comparison comparison;
    comparison.vocabSize = reference.vocabSize();
    comparison.ids = randomTokens(reference.positions(), comparison.vocabSize);
    auto logits = logitsOf(reference, comparison.ids, Via::Forward);
    if (!logits)
      return std::unexpected(logits.error());
    comparison.reference = std::move(*logits);
    return comparison;
  }

  /// The first `numTokens` of the text, run by `session`.
  Result<void> add(std::string_view way, Session &session, Via via,
                   int64_t numTokens) {
    std::string name = fmt::format("{} of {} tokens", way, numTokens);
    auto got = logitsOf(session, std::span(ids).first(numTokens), via);
    if (!got)
      return std::unexpected(got.error());
    if (got->size() != static_cast<size_t>(numTokens * vocabSize))
      return failure("{}: got {} logits, expected {}", name, got->size(),
                     numTokens * vocabSize);
    checks.push_back(compare(name, *got, reference, vocabSize));
    return {};
  }

  std::vector<Check> checks;

private:
  int64_t vocabSize = 0;
  std::vector<int32_t> ids;
  Logits reference;
};

} // namespace

Result<std::vector<Check>> runChecks(const ModelOptions &options) {
  auto eager = start(options, Mode::Eager);
  if (!eager)
    return std::unexpected(eager.error());
  auto compiled = start(options, Mode::Compiled);
  if (!compiled)
    return std::unexpected(compiled.error());
  auto comparison = Comparison::start(**eager);
  if (!comparison)
    return std::unexpected(comparison.error());
  int64_t positions = (*eager)->positions();
  std::vector<int64_t> starts = lengths(options.buckets, positions),
                       steps = {std::min<int64_t>(positions, 100)};
  struct Way {
    std::string_view name;
    Session &session;
    Via via;
    const std::vector<int64_t> &lengths;
  };
  for (const Way &way :
       {Way{"eager prefill", **eager, Via::Prefill, starts},
        Way{"compiled forward", **compiled, Via::Forward, starts},
        Way{"compiled prefill", **compiled, Via::Prefill, starts},
        Way{"eager decode", **eager, Via::Decode, steps},
        Way{"compiled decode", **compiled, Via::Decode, steps}})
    for (int64_t length : way.lengths)
      if (auto added = comparison->add(way.name, way.session, way.via, length);
          !added)
        return std::unexpected(added.error());
  return std::move(comparison->checks);
}

} // namespace tandem
