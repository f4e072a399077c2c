#include "tools/BenchReport.h"
#include "tools/Commands.h"
#include "tools/CompilerOptions.h"
#include "tools/OptionValues.h"
#include "tools/PlanFor.h"
#include "tools/PrepareModel.h"
#include "tools/RandomTokens.h"

#include <algorithm>
#include <map>

namespace tandem {

namespace {

/// The sessions that run the model, by mode.
using Sessions = std::map<std::string, std::unique_ptr<Session>>;

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

/// Prepares the model in one mode, and lists its cells.
Result<std::unique_ptr<Session>> prepareMode(const BenchOptions &options,
                                             const std::string &mode,
                                             std::vector<BenchCell> &cells) {
  ModelOptions model = options.model;
  model.mode = mode == "eager" ? Mode::Eager : Mode::Compiled;
  ProgramUse use;
  use.cached = std::ranges::count(options.kvCache, "on") > 0;
  use.uncached = std::ranges::count(options.kvCache, "off") > 0;
  auto prepared = prepareModel(model, use);
  if (!prepared)
    return std::unexpected(prepared.error());
  for (const std::string &kvCache : options.kvCache)
    for (int64_t length : options.promptLengths) {
      BenchCell cell;
      cell.mode = mode;
      cell.kvCache = kvCache == "on";
      cell.promptLength = length;
      cell.compileMs = prepared->compileMs;
      cell.executable = prepared->executable;
      cells.push_back(std::move(cell));
    }
  return startSession(*prepared, model, use);
}

Result<void> checkLength(const BenchOptions &options, const Session &session) {
  int64_t longest = std::ranges::max(options.promptLengths);
  if (longest + options.numTokens > session.positions())
    return failure("bench: got a prompt of {} and {} new tokens, expected at "
                   "most {} in all (the model's positions)",
                   longest, options.numTokens, session.positions());
  return {};
}

Result<void> runCell(const BenchOptions &options, Session &session,
                     BenchCell &cell, bool isCounted) {
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

/// The machine before and after the cells, the better of the two, since
/// neither is to blame for what else it does.
Result<MachineLimits> measure(const BenchOptions &options, Sessions &sessions,
                              std::vector<BenchCell> &cells) {
  std::optional<Progress> progress("measuring the machine");
  int threads = planThreads(options.model);
  MachineLimits machine = measureMachine(threads);
  progress.emplace("timing");
  for (int64_t round = 0; round <= options.repeat; ++round) // first: warm-up
    for (BenchCell &cell : cells)
      if (auto ran = runCell(options, *sessions[cell.mode], cell, round > 0);
          !ran)
        return std::unexpected(ran.error());
  MachineLimits after = measureMachine(threads);
  machine.readGbPerS = std::max(machine.readGbPerS, after.readGbPerS);
  machine.f32Gflops = std::max(machine.f32Gflops, after.f32Gflops);
  return machine;
}

Result<int> benchModel(const BenchOptions &options) {
  auto modes = modesOf(options);
  if (!modes)
    return std::unexpected(modes.error());
  std::optional<Progress> progress("compiling");
  Sessions sessions;
  std::vector<BenchCell> cells;
  for (const std::string &mode : *modes) {
    auto session = prepareMode(options, mode, cells);
    if (!session)
      return std::unexpected(session.error());
    if (auto checked = checkLength(options, **session); !checked)
      return std::unexpected(checked.error());
    sessions[mode] = std::move(*session);
  }
  progress.reset();
  auto machine = measure(options, sessions, cells);
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
  addNames(*command, "--precisions", options->precisions, {"f32"},
           "which precisions [f32]");
  addThreadsOption(*command, options->model);
  addBucketOptions(*command, options->model);
  addJsonOption(*command, options->model);
}

} // namespace tandem
