#include "tools/BenchReport.h"

#include "runtime/Cost.h"

#include <algorithm>

namespace tandem {

double Spread::median() const {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  size_t n = sorted.size();
  return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

double Spread::least() const {
  return values.empty() ? 0 : std::ranges::min(values);
}

double Spread::most() const {
  return values.empty() ? 0 : std::ranges::max(values);
}

namespace {

Json toJson(const Spread &spread) {
  return {{"min", spread.least()},
          {"median", spread.median()},
          {"max", spread.most()}};
}

double bandwidthFraction(const BenchOptions &options, const BenchCell &cell,
                         const MachineLimits &machine) {
  double cached = cell.promptLength + options.numTokens / 2.0;
  return decodeCost(*cell.executable, cached).bytes *
         cell.decodeTokensPerS.median() / (machine.readGbPerS * 1e9);
}

/// Of the time that the prompt's products take at the peak of the type that
/// each is computed in.
double peakFraction(const BenchCell &cell, const MachineLimits &machine) {
  double seconds = 0;
  for (auto [type, flop] :
       prefillCost(*cell.executable, cell.promptLength).flop)
    seconds += flop / (machine.gflops(type) * 1e9);
  return seconds / (cell.prefillMs.median() * 1e-3);
}

Json cellJson(const BenchOptions &options, const BenchCell &cell,
              const MachineLimits &machine) {
  Json ofBandwidth = nullptr;
  if (cell.kvCache)
    ofBandwidth = bandwidthFraction(options, cell, machine);
  return {{"mode", cell.mode},
          {"kv_cache", cell.kvCache},
          {"precision", cell.precision},
          {"prompt", cell.promptLength},
          {"new", options.numTokens},
          {"compile_ms", cell.compileMs},
          {"prefill_ms", toJson(cell.prefillMs)},
          {"decode_tokens_per_s", toJson(cell.decodeTokensPerS)},
          {"decode_fraction_of_bandwidth", ofBandwidth},
          {"prefill_fraction_of_peak", peakFraction(cell, machine)},
          {"peak_bytes", cell.peakBytes},
          {"ids", cell.ids}};
}

std::string cellRow(const BenchOptions &options, const BenchCell &cell,
                    const MachineLimits &machine) {
  std::string ofBandwidth = "-";
  if (cell.kvCache)
    ofBandwidth = fmt::format("{:.0f} %",
                              100 * bandwidthFraction(options, cell, machine));
  return fmt::format(
      "{:<9} {:<9} {:<6} {:>6} {:>9.1f} ({:.1f}-{:.1f}) {:>6.0f} % {:>10.1f} "
      "({:.1f}-{:.1f}) {:>8}\n",
      cell.mode, cell.precision, cell.kvCache ? "on" : "off", cell.promptLength,
      cell.prefillMs.median(), cell.prefillMs.least(), cell.prefillMs.most(),
      100 * peakFraction(cell, machine), cell.decodeTokensPerS.median(),
      cell.decodeTokensPerS.least(), cell.decodeTokensPerS.most(), ofBandwidth);
}

Json document(const BenchOptions &options, const std::vector<BenchCell> &cells,
              const MachineLimits &machine) {
  Json document = {{"machine",
                    {{"cpu", machine.cpu},
                     {"threads", machine.numThreads},
                     {"read_gb_per_s", machine.readGbPerS},
                     {"f32_gflops", machine.f32Gflops},
                     {"bf16_gflops", machine.bf16Gflops},
                     {"int8_gops", machine.int8Gops}}},
                   {"cells", Json::array()}};
  for (const BenchCell &cell : cells)
    document["cells"].push_back(cellJson(options, cell, machine));
  return document;
}

std::string table(const BenchOptions &options,
                  const std::vector<BenchCell> &cells,
                  const MachineLimits &machine) {
  std::string text = fmt::format(
      "{}, {} threads: reads {:.1f} GB/s, f32 {:.0f} and bf16 "
      "{:.0f} GFLOP/s, int8 {:.0f} GOP/s\n"
      "median (min-max) of {} interleaved runs, {} new tokens\n\n"
      "mode      precision cache  prompt prefill ms          of peak  decode "
      "tokens/s   of bandwidth\n",
      machine.cpu, machine.numThreads, machine.readGbPerS, machine.f32Gflops,
      machine.bf16Gflops, machine.int8Gops, options.repeat, options.numTokens);
  for (const BenchCell &cell : cells)
    text += cellRow(options, cell, machine);
  return text;
}

} // namespace

Result<int> printReport(const BenchOptions &options,
                        const std::vector<BenchCell> &cells,
                        const MachineLimits &machine) {
  return options.model.json ? print(document(options, cells, machine))
                            : print(table(options, cells, machine));
}

} // namespace tandem
