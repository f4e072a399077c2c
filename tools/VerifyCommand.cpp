#include "runtime/Evaluate.h"
#include "tools/Commands.h"
#include "tools/PrepareModel.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace tandem {

namespace {

/// Logits of every row, [rows, vocab].
using Logits = std::vector<float>;

struct Check {
  std::string name;
  double maxError = 0, budget = 0;
  std::string where; // the worst row
  bool ok() const { return maxError <= budget; }
};

std::vector<int32_t> randomTokens(int64_t count, int64_t vocabSize) {
  std::mt19937 random(7);
  std::vector<int32_t> ids(count);
  for (int32_t &id : ids)
    id = random() % vocabSize;
  return ids;
}

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

struct Sessions {
  std::unique_ptr<Session> eager, compiled;
};

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

Result<std::vector<Check>> runChecks(const ModelOptions &options) {
  auto eager = start(options, Mode::Eager);
  if (!eager)
    return std::unexpected(eager.error());
  auto compiled = start(options, Mode::Compiled);
  if (!compiled)
    return std::unexpected(compiled.error());
  int64_t positions = (*eager)->positions(), vocab = (*eager)->vocabSize();
  std::vector<int32_t> ids = randomTokens(positions, vocab);
  auto reference = logitsOf(**eager, ids, Via::Forward);
  if (!reference)
    return std::unexpected(reference.error());
  std::vector<Check> checks;
  auto add = [&](const std::string &name, Session &session, int64_t length,
                 Via via) -> Result<void> {
    auto got = logitsOf(session, std::span(ids).first(length), via);
    if (!got)
      return std::unexpected(got.error());
    if (got->size() != static_cast<size_t>(length * vocab))
      return failure("{}: got {} logits, expected {}", name, got->size(),
                     length * vocab);
    checks.push_back(compare(name, *got, *reference, vocab));
    return {};
  };
  struct Way {
    const char *name;
    Session *session;
    Via via;
  };
  Way ways[] = {{"eager prefill", eager->get(), Via::Prefill},
                {"compiled forward", compiled->get(), Via::Forward},
                {"compiled prefill", compiled->get(), Via::Prefill}};
  for (const Way &way : ways)
    for (int64_t length : lengths(options.buckets, positions))
      if (auto done = add(fmt::format("{} of {} tokens", way.name, length),
                          *way.session, length, way.via);
          !done)
        return std::unexpected(done.error());
  int64_t steps = std::min<int64_t>(positions, 100);
  for (const Way &way : {Way{"eager decode", eager->get(), Via::Decode},
                         Way{"compiled decode", compiled->get(), Via::Decode}})
    if (auto done = add(fmt::format("{} of {} tokens", way.name, steps),
                        *way.session, steps, way.via);
        !done)
      return std::unexpected(done.error());
  return checks;
}

Result<int> verifyModel(const ModelOptions &options) {
  if (isArtifact(options.model))
    return failure("{}: got an artifact, expected a model folder: there is "
                   "nothing eager in it to compare with",
                   options.model.string());
  std::optional<Progress> progress("verifying");
  auto checks = runChecks(options);
  if (!checks)
    return std::unexpected(checks.error());
  progress.reset();
  bool ok = std::ranges::all_of(*checks, &Check::ok);
  Json document = {{"ok", ok}, {"checks", Json::array()}};
  std::string text;
  for (const Check &check : *checks) {
    document["checks"].push_back({{"name", check.name},
                                  {"max_error", check.maxError},
                                  {"budget", check.budget},
                                  {"where", check.where}});
    text += fmt::format("{:<4} {:<34} error {:.2e} of {:.2e}  {}\n",
                        check.ok() ? "ok" : "OVER", check.name, check.maxError,
                        check.budget, check.where);
  }
  auto printed = options.json ? print(document) : print(text);
  if (!printed)
    return printed;
  return ok ? 0 : 1;
}

} // namespace

void addVerifyCommand(Tool &tool) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App *command = tool.add(
      "verify", "compares every program's logits with eager, without a cache",
      [options] { return verifyModel(*options); });
  addModelArgument(*command, *options, defaultModel());
  addThreadsOption(*command, *options);
  addMemoryLimitOption(*command, *options);
  addJsonOption(*command, *options);
  addCompilerOptions(*command, *options);
}

} // namespace tandem
