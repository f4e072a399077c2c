#include "runtime/Cost.h"
#include "runtime/MachineLimits.h"
#include "tools/Commands.h"
#include "tools/PrepareModel.h"

#include <algorithm>
#include <map>
#include <random>

namespace tandem {

namespace {

struct BenchOptions {
  ModelOptions model;
  std::vector<std::string> modes = {"eager", "compiled"},
                           kvCache = {"off", "on"}, precisions = {"f32"};
  std::vector<int64_t> promptLengths = {32};
  int64_t numTokens = 16, repeat = 5;
};

struct Spread {
  std::vector<double> values;

  double median() const {
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    size_t n = sorted.size();
    return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  }
  double least() const { return values.empty() ? 0 : std::ranges::min(values); }
  double most() const { return values.empty() ? 0 : std::ranges::max(values); }
  Json json() const {
    return {{"min", least()}, {"median", median()}, {"max", most()}};
  }
};

/// One way of running the model, and the session that runs it.
struct Runner {
  std::shared_ptr<const Executable> executable;
  std::unique_ptr<Session> session;
  double compileMs = 0;
};

struct Cell {
  std::string mode;
  bool kvCache = true;
  int64_t promptLength = 0;
  Spread prefillMs, decodeTokensPerS;
  std::vector<int32_t> ids;
};

Result<Runner> makeRunner(const BenchOptions &options,
                          const std::string &mode) {
  ModelOptions model = options.model;
  model.mode = mode == "eager" ? Mode::Eager : Mode::Compiled;
  ProgramUse use;
  use.cached = std::ranges::count(options.kvCache, "on") > 0;
  use.uncached = std::ranges::count(options.kvCache, "off") > 0;
  auto prepared = prepareModel(model, use);
  if (!prepared)
    return std::unexpected(prepared.error());
  Runner runner;
  runner.executable = prepared->executable;
  runner.compileMs = prepared->compileMs;
  auto session = startSession(*prepared, model, use);
  if (!session)
    return std::unexpected(session.error());
  runner.session = std::move(*session);
  return runner;
}

std::vector<int32_t> randomPrompt(int64_t length, int64_t vocabSize) {
  std::mt19937 random(1);
  std::vector<int32_t> ids(length);
  for (int32_t &id : ids)
    id = random() % vocabSize;
  return ids;
}

Result<void> runCell(const BenchOptions &options, Runner &runner, Cell &cell,
                     bool isCounted) {
  GenerationOptions generation;
  generation.numTokens = options.numTokens;
  generation.useKvCache = cell.kvCache;
  auto prompt = randomPrompt(cell.promptLength, runner.session->vocabSize());
  auto result = generate(*runner.session, prompt, generation, [](int32_t) {});
  if (!result)
    return std::unexpected(result.error());
  cell.ids = result->ids;
  if (!isCounted)
    return {};
  cell.prefillMs.values.push_back(result->prefillMs);
  cell.decodeTokensPerS.values.push_back(result->decodeTokensPerSecond());
  return {};
}

double bandwidthFraction(const BenchOptions &options, const Runner &runner,
                         const Cell &cell, const MachineLimits &machine) {
  double cached = cell.promptLength + options.numTokens / 2.0;
  return decodeCost(*runner.executable, cached).bytes *
         cell.decodeTokensPerS.median() / (machine.readGbPerS * 1e9);
}

double peakFraction(const Runner &runner, const Cell &cell,
                    const MachineLimits &machine) {
  return prefillCost(*runner.executable, cell.promptLength).flop /
         (cell.prefillMs.median() * 1e-3) / (machine.f32Gflops * 1e9);
}

Json cellJson(const BenchOptions &options, const Runner &runner,
              const Cell &cell, const MachineLimits &machine) {
  Json ofBandwidth = nullptr;
  if (cell.kvCache)
    ofBandwidth = bandwidthFraction(options, runner, cell, machine);
  return {{"mode", cell.mode},
          {"kv_cache", cell.kvCache},
          {"precision", "f32"},
          {"prompt", cell.promptLength},
          {"new", options.numTokens},
          {"compile_ms", runner.compileMs},
          {"prefill_ms", cell.prefillMs.json()},
          {"decode_tokens_per_s", cell.decodeTokensPerS.json()},
          {"decode_fraction_of_bandwidth", ofBandwidth},
          {"prefill_fraction_of_peak", peakFraction(runner, cell, machine)},
          {"peak_bytes", runner.session->peakBytes()},
          {"ids", cell.ids}};
}

std::string cellRow(const BenchOptions &options, const Runner &runner,
                    const Cell &cell, const MachineLimits &machine) {
  std::string ofBandwidth = "-";
  if (cell.kvCache)
    ofBandwidth = fmt::format(
        "{:.0f} %", 100 * bandwidthFraction(options, runner, cell, machine));
  return fmt::format(
      "{:<9} {:<6} {:>6} {:>9.1f} ({:.1f}-{:.1f}) {:>6.0f} % {:>10.1f} "
      "({:.1f}-{:.1f}) {:>8}\n",
      cell.mode, cell.kvCache ? "on" : "off", cell.promptLength,
      cell.prefillMs.median(), cell.prefillMs.least(), cell.prefillMs.most(),
      100 * peakFraction(runner, cell, machine), cell.decodeTokensPerS.median(),
      cell.decodeTokensPerS.least(), cell.decodeTokensPerS.most(), ofBandwidth);
}

Result<int> benchModel(const BenchOptions &options) {
  std::optional<Progress> progress("measuring the machine");
  int threads = planThreads(options.model);
  MachineLimits machine = measureMachine(threads);
  progress.emplace("compiling");
  std::map<std::string, Runner> runners;
  std::vector<Cell> cells;
  for (const std::string &mode : options.modes) {
    auto runner = makeRunner(options, mode);
    if (!runner)
      return std::unexpected(runner.error());
    runners[mode] = std::move(*runner);
    for (const std::string &kvCache : options.kvCache)
      for (int64_t length : options.promptLengths)
        cells.push_back({mode, kvCache == "on", length, {}, {}, {}});
  }
  for (const Cell &cell : cells)
    if (int64_t most = runners[cell.mode].session->positions();
        cell.promptLength + options.numTokens > most)
      return failure("bench: got a prompt of {} and {} new tokens, expected at "
                     "most {} in all",
                     cell.promptLength, options.numTokens, most);
  progress.emplace("timing");
  for (int64_t round = 0; round <= options.repeat; ++round) // first: warm-up
    for (Cell &cell : cells)
      if (auto ran = runCell(options, runners[cell.mode], cell, round > 0);
          !ran)
        return std::unexpected(ran.error());
  MachineLimits after = measureMachine(threads); // the better of the two
  machine.readGbPerS = std::max(machine.readGbPerS, after.readGbPerS);
  machine.f32Gflops = std::max(machine.f32Gflops, after.f32Gflops);
  progress.reset();

  if (options.model.json) {
    Json document = {{"machine",
                      {{"cpu", machine.cpu},
                       {"threads", machine.numThreads},
                       {"read_gb_per_s", machine.readGbPerS},
                       {"f32_gflops", machine.f32Gflops},
                       {"bf16_gflops", nullptr},
                       {"int8_gops", nullptr}}},
                     {"cells", Json::array()}};
    for (const Cell &cell : cells)
      document["cells"].push_back(
          cellJson(options, runners[cell.mode], cell, machine));
    return print(document);
  }
  std::string text =
      fmt::format("{}, {} threads: reads {:.1f} GB/s, f32 {:.0f} GFLOP/s\n"
                  "median (min-max) of {} interleaved runs, {} new tokens\n\n"
                  "mode      cache  prompt prefill ms          of peak  decode "
                  "tokens/s   of bandwidth\n",
                  machine.cpu, machine.numThreads, machine.readGbPerS,
                  machine.f32Gflops, options.repeat, options.numTokens);
  for (const Cell &cell : cells)
    text += cellRow(options, runners[cell.mode], cell, machine);
  return print(text);
}

/// A list option, as a,b: given twice, the last list counts.
template <typename T>
CLI::Option *addList(CLI::App &app, const std::string &name,
                     std::vector<T> &values, const std::string &help) {
  return app.add_option(name, values, help)
      ->delimiter(',')
      ->allow_extra_args(false);
}

} // namespace

void addBenchCommand(Tool &tool) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App *command =
      tool.add("bench", "times eager and compiled, without and with the cache",
               [options] { return benchModel(*options); });
  addModelArgument(*command, options->model, defaultModel());
  addList(*command, "--modes", options->modes, "which modes [eager,compiled]")
      ->check(CLI::IsMember({"eager", "compiled"}));
  addList(*command, "--kv-cache", options->kvCache, "which caches [off,on]")
      ->check(CLI::IsMember({"on", "off"}));
  addList(*command, "--precisions", options->precisions,
          "which precisions [f32]")
      ->check(CLI::IsMember({"f32"}));
  addList(*command, "--prompt-lengths", options->promptLengths,
          "tokens of the prompts [32]")
      ->check(atLeast(1));
  command->add_option("-n", options->numTokens, "new tokens a run [16]")
      ->check(atLeast(1))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  command->add_option("--repeat", options->repeat, "counted runs a cell [5]")
      ->check(atLeast(1))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  addThreadsOption(*command, options->model);
  addJsonOption(*command, options->model);
}

} // namespace tandem
