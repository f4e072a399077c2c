#include "tools/PlanFor.h"

#include "tools/BuildModule.h"
#include "tools/Lines.h"
#include "tools/PrepareModel.h"

#include <charconv>

namespace tandem {

namespace {

Result<PromptLengths> readPromptLengths(const std::filesystem::path &path,
                                        int64_t positions) {
  auto lines = readLines(path);
  if (!lines)
    return std::unexpected(lines.error());
  PromptLengths lengths;
  for (size_t i = 0; i < lines->size(); ++i) {
    const std::string &line = (*lines)[i];
    const char *end = line.data() + line.size();
    int64_t length = 0;
    auto [last, error] = std::from_chars(line.data(), end, length);
    if (error != std::errc() || last != end || length < 1 || length > positions)
      return failure("{}: line {}: got '{}', expected the length of a prompt, "
                     "1 to {}",
                     path.string(), i + 1, line, positions);
    ++lengths[length];
  }
  return lengths;
}

} // namespace

Result<BucketPlan> planFor(const ModelOptions &options) {
  if (isArtifact(options.model))
    return failure("{}: got a compiled model and --plan-for, expected a model "
                   "folder with it",
                   options.model.string());
  auto imported = buildModule(options, {}, Stage::Imported);
  if (!imported)
    return std::unexpected(imported.error());
  auto lengths = readPromptLengths(*options.planFor, imported->positions);
  if (!lengths)
    return std::unexpected(lengths.error());
  return planBuckets(*lengths, imported->positions);
}

std::string planTable(const BucketPlan &plan) {
  std::string text = "length   count  padded rows         cost  buckets\n";
  int64_t count = 0, paddedRows = 0;
  for (const PlannedLength &length : plan.lengths) {
    text += fmt::format("{:>6} {:>7} {:>12} {:>12}  {}\n", length.length,
                        length.count, length.paddedRows, length.cost,
                        fmt::join(length.runs, " + "));
    count += length.count;
    paddedRows += length.paddedRows;
  }
  text += fmt::format(
      "all    {:>7} {:>12} {:>12}  --buckets {}, {} a program\n", count,
      paddedRows, plan.cost, fmt::join(plan.buckets, ","), rowsOfOneProgram);
  return text;
}

Json planDocument(const BucketPlan &plan) {
  Json lengths = Json::array();
  for (const PlannedLength &length : plan.lengths)
    lengths.push_back({{"length", length.length},
                       {"count", length.count},
                       {"runs", length.runs},
                       {"padded_rows", length.paddedRows},
                       {"cost", length.cost}});
  return {{"buckets", plan.buckets}, {"cost", plan.cost}, {"lengths", lengths}};
}

Action withPlanFor(ModelOptions &options, Action action) {
  return [&options, action]() -> Result<int> {
    if (!options.planFor)
      return action();
    auto plan = planFor(options);
    if (!plan)
      return std::unexpected(plan.error());
    fmt::print(stderr, "{}", planTable(*plan));
    options.buckets = plan->buckets;
    return action();
  };
}

} // namespace tandem
