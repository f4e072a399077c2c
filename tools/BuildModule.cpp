#include "tools/BuildModule.h"

#include "backend/lowering/Target.h"
#include "frontend/Gpt2Graph.h"
#include "frontend/Gpt2Parameters.h"
#include "passes/Diagnostics.h"

#include <algorithm>
#include <set>

namespace tandem {

namespace {

/// Each size once, none larger than `most`.
std::vector<int64_t> atMost(std::vector<int64_t> sizes, int64_t most) {
  for (int64_t &size : sizes)
    size = std::min(size, most);
  std::set<int64_t> unique(sizes.begin(), sizes.end());
  return {unique.begin(), unique.end()};
}

/// `least`, twice that and so on, and last `most`: less than half of the rows
/// that something is padded to are empty.
std::vector<int64_t> doubling(int64_t least, int64_t most) {
  std::vector<int64_t> sizes;
  for (int64_t size = least; size < most; size *= 2)
    sizes.push_back(size);
  sizes.push_back(most);
  return sizes;
}

/// The positions that a sequence may have, `--context` considered.
Result<int64_t> positionsOf(const ModelOptions &options,
                            const ModelConfig &config) {
  if (options.context && *options.context > config.positions)
    return failure(
        "--context: got {}, expected at most the model's {} positions",
        *options.context, config.positions);
  return options.context.value_or(config.positions);
}

/// A name for a folder: its last component that is one.
std::string nameOf(const std::filesystem::path &path) {
  auto absolute = std::filesystem::absolute(path).lexically_normal();
  return (absolute.has_filename() ? absolute : absolute.parent_path())
      .filename()
      .string();
}

} // namespace

ModelSummary summarize(const ModelConfig &config, int64_t positions,
                       const std::filesystem::path &folder) {
  ModelSummary summary;
  summary.name = nameOf(folder);
  summary.vocabSize = config.vocabSize;
  summary.positions = positions;
  summary.layers = config.layers;
  summary.heads = config.heads;
  summary.embed = config.embed;
  summary.inner = config.inner;
  summary.parameters = numParameters(config);
  summary.eosTokens = config.eosTokens;
  return summary;
}

ProgramRows programRows(const ModelOptions &options, const ProgramUse &use,
                        int64_t positions) {
  ProgramRows rows;
  if (use.cached) {
    rows.prefill = atMost(options.buckets, positions);
    // Eager runs a row at a time: oneDNN sums a product of several rows in
    // another order, and a sequence is to be what it is alone.
    rows.decode = doubling(1, options.mode == Mode::Eager ? 1 : options.batch);
  }
  if (use.uncached)
    rows.forward = options.mode == Mode::Eager ? std::vector<int64_t>{-1}
                                               : doubling(16, positions);
  rows.head =
      use.everyRow ? atMost({1, 64}, positions) : std::vector<int64_t>{1};
  return rows;
}

PipelineOptions pipelineOptions(const ModelOptions &options,
                                const ProgramUse &use, Stage stage,
                                int64_t positions) {
  PipelineOptions pipeline;
  pipeline.stage = stage;
  pipeline.rows = programRows(options, use, positions);
  pipeline.target = hostTarget(planThreads(options));
  pipeline.disabledPasses = options.disabledPasses;
  pipeline.printAfter = options.printAfter;
  pipeline.timing = options.timing;
  return pipeline;
}

Result<ModuleInProgress> buildModule(const ModelOptions &options,
                                     const ProgramUse &use, Stage stage) {
  auto checkpoint = openCheckpoint(options.model);
  if (!checkpoint)
    return std::unexpected(checkpoint.error());
  auto positions = positionsOf(options, checkpoint->config);
  if (!positions)
    return std::unexpected(positions.error());
  ModuleInProgress result;
  result.context = std::make_unique<mlir::MLIRContext>(
      mlir::MLIRContext::Threading::DISABLED);
  result.positions = *positions;
  result.checkpoint = std::move(*checkpoint);
  result.module = buildGpt2Forward(*result.context, result.checkpoint.config);
  result.module->walk([&](mlir::func::FuncOp function) {
    function->setAttr(
        programAttrName,
        ProgramAttr::get(result.context.get(), Phase::Model, *positions));
  });
  if (use.opNames) {
    DiagnosticText diagnostics(result.context.get());
    auto graph = nameOps(*result.module, *positions);
    if (mlir::failed(graph))
      return diagnostics.failure();
    result.tracedGraph = std::move(*graph);
  }
  result.pipeline = pipelineOptions(options, use, stage, *positions);
  if (auto ran = runPipeline(*result.module, result.pipeline); !ran)
    return failure("{}: {}", options.model.string(), ran.error().message);
  return result;
}

} // namespace tandem
