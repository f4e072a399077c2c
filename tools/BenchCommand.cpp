#include "runtime/WeightTypes.h"
#include "tools/BenchReport.h"
#include "tools/Commands.h"
#include "tools/CompilerOptions.h"
#include "tools/OptionValues.h"
#include "tools/PlanFor.h"
#include "tools/PrepareModel.h"
#include "tools/RandomTokens.h"

#include <algorithm>

namespace tandem {

namespace {

/// The modes to measure; an artifact has only compiled programs.
Result<std::vector<std::string>> modesOf(const BenchOptions &options) {
  bool hasEager = !isArtifact(options.model.model);
  if (options.modes.empty())
    return hasEager ? std::vector<std::string>{"eager", "compiled"}
                    : std::vector<std::string>{"compiled"};
  if (!hasEager && std::ranges::count(options.modes, "eager") > 0)
    return failure("{}: --modes: got eager, expected compiled for an artifact",
                   options.model.model.string());
  return options.modes;
}

/// What to ask for: nothing where MODEL is to say.
std::vector<std::optional<Precision>>
precisionsOf(const BenchOptions &options) {
  std::vector<std::optional<Precision>> precisions;
  for (const std::string &name : options.precisions)
    precisions.push_back(parsePrecision(name));
  if (precisions.empty())
    precisions.push_back(std::nullopt);
  return precisions;
}

/// Prepares the model in one mode and precision, and lists its cells.
Result<std::unique_ptr<Session>> prepareMode(const BenchOptions &options,
                                             const std::string &mode,
                                             std::optional<Precision> precision,
                                             std::vector<BenchCell> &cells) {
  ModelOptions model = options.model;
  model.mode = mode == "eager" ? Mode::Eager : Mode::Compiled;
  model.precision = precision;
  ProgramUse use;
  use.cached = std::ranges::count(options.kvCache, "on") > 0;
  use.uncached = std::ranges::count(options.kvCache, "off") > 0;
  auto prepared = prepareModel(model, use);
  if (!prepared)
    return std::unexpected(prepared.error());
  auto session = startSession(*prepared, model, use);
  if (!session)
    return session;
  for (const std::string &kvCache : options.kvCache)
    for (int64_t length : options.promptLengths) {
      BenchCell cell;
      cell.mode = mode;
      cell.precision = name(precisionOf(*prepared->executable));
      cell.kvCache = kvCache == "on";
      cell.promptLength = length;
      cell.compileMs = prepared->compileMs;
      cell.executable = prepared->executable;
      cell.session = session->get();
      cells.push_back(std::move(cell));
    }
  return session;
}

Result<void> checkLength(const BenchOptions &options, const Session &session) {
  int64_t longest = std::ranges::max(options.promptLengths);
  if (longest + options.numTokens > session.positions())
    return failure("bench: got a prompt of {} and {} new tokens, expected at "
                   "most {} in all (the model's positions)",
                   longest, options.numTokens, session.positions());
  return {};
}

Result<void> runCell(const BenchOptions &options, BenchCell &cell,
                     bool isCounted) {
  Session &session = *cell.session;
  GenerationOptions generation;
  generation.numTokens = options.numTokens;
  generation.useKvCache = cell.kvCache;
  auto prompt = randomTokens(cell.promptLength, session.vocabSize());
  session.restartPeak();
  auto result = generate(session, prompt, generation, [](int32_t) {});
  if (!result)
    return std::unexpected(result.error());
  cell.peakBytes = std::max(cell.peakBytes, session.peakBytes());
  cell.ids = result->ids;
  if (!isCounted)
    return {};
  cell.prefillMs.values.push_back(result->prefillMs);
  cell.decodeTokensPerS.values.push_back(result->decodeTokensPerSecond());
  return {};
}

/// Times the cells, and the machine before and after them.
Result<MachineLimits> measure(const BenchOptions &options,
                              std::vector<BenchCell> &cells) {
  std::optional<Progress> progress("measuring the machine");
  int threads = planThreads(options.model);
  MachineLimits machine = measureMachine(threads);
  progress.emplace("timing");
  for (int64_t round = 0; round <= options.repeat; ++round) // first: warm-up
    for (BenchCell &cell : cells)
      if (auto ran = runCell(options, cell, round > 0); !ran)
        return std::unexpected(ran.error());
  return MachineLimits::best(machine, measureMachine(threads));
}

Result<int> benchModel(const BenchOptions &options) {
  auto modes = modesOf(options);
  if (!modes)
    return std::unexpected(modes.error());
  std::optional<Progress> progress("compiling");
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<BenchCell> cells;
  for (std::optional<Precision> precision : precisionsOf(options))
    for (const std::string &mode : *modes) {
      auto session = prepareMode(options, mode, precision, cells);
      if (!session)
        return std::unexpected(session.error());
      if (auto checked = checkLength(options, **session); !checked)
        return std::unexpected(checked.error());
      sessions.push_back(std::move(*session));
    }
  progress.reset();
  auto machine = measure(options, cells);
  if (!machine)
    return std::unexpected(machine.error());
  return printReport(options, cells, *machine);
}

/// A list of names, each among `choices`.
void addNames(CLI::App &app, const std::string &name,
              std::vector<std::string> &values,
              const std::vector<std::string> &choices,
              const std::string &help) {
  auto set = [&values](std::vector<std::string> names) {
    values = std::move(names);
  };
  addList(app, name, help, oneOf(choices), set)
      ->type_name(fmt::format("{}", fmt::join(choices, ",")));
}

} // namespace

void addBenchCommand(Tool &tool) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App *command = tool.add(
      "bench", "times eager and compiled, without and with the cache",
      withPlanFor(options->model, [options] { return benchModel(*options); }));
  addModelArgument(*command, options->model, defaultModel());
  addNames(*command, "--modes", options->modes, {"eager", "compiled"},
           "which modes [both; of a .tandem file compiled]");
  addNames(*command, "--kv-cache", options->kvCache, {"off", "on"},
           "which caches [both]");
  addNumbers(*command, "--prompt-lengths", "tokens of the prompts [32]",
             wholeNumber(1), [options](std::vector<int64_t> lengths) {
               options->promptLengths = std::move(lengths);
             });
  addValue(*command, "-n", options->numTokens, "N", "new tokens a run [16]")
      ->check(wholeNumber(1));
  addValue(*command, "--repeat", options->repeat, "N",
           "counted runs a cell [5]")
      ->check(wholeNumber(1));
  addNames(*command, "--precisions", options->precisions, precisionNames(),
           "which precisions [f32, or the model's]");
  addThreadsOption(*command, options->model);
  addBucketOptions(*command, options->model);
  addJsonOption(*command, options->model);
}

} // namespace tandem
