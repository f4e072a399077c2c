#include "tools/BuildModule.h"

#include "backend/lowering/Target.h"
#include "ir/Diagnostics.h"
#include "tools/DerivedPrograms.h"

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

/// Rows of the programs without a cache: `least`, half as many again, twice as
/// many and so on, so that less than a third of a program's rows are empty. A
/// text that grows goes through them all.
std::vector<int64_t> forwardRows(int64_t least, int64_t positions) {
  std::set<int64_t> sizes;
  for (int64_t size : doubling(least, positions)) {
    sizes.insert(size);
    sizes.insert(std::min(size + size / 2, positions));
  }
  return {sizes.begin(), sizes.end()};
}

/// The function of phase `model`, where the module still has one.
mlir::func::FuncOp findModel(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (ProgramAttr program = getProgram(function);
        program && program.getPhase() == Phase::Model)
      return function;
  return {};
}

/// That nothing is asked for which only a description can still give.
Result<void> checkDerived(const ModelOptions &options) {
  if (options.context || options.buckets)
    return failure("{}: {}: got it with programs that are derived already, "
                   "expected a module at stage imported",
                   options.model.string(),
                   options.buckets ? "--buckets" : "--context");
  return {};
}

/// The positions that a sequence may have, `--context` considered, which the
/// model says from now on.
Result<int64_t> settlePositions(const ModelOptions &options,
                                mlir::func::FuncOp model) {
  int64_t positions = getProgram(model).getPositions();
  if (options.context && *options.context > positions)
    return failure(
        "--context: got {}, expected at most the model's {} positions",
        *options.context, positions);
  positions = options.context.value_or(positions);
  model->setAttr(programAttrName,
                 ProgramAttr::get(model.getContext(), Phase::Model, positions));
  return positions;
}

} // namespace

ProgramRows programRows(const ModelOptions &options, const ProgramUse &use,
                        int64_t positions) {
  ProgramRows rows;
  if (use.cached) {
    rows.prefill = atMost(options.buckets.value_or(defaultBuckets), positions);
    // Eager runs a row at a time: oneDNN sums a product of several rows in
    // another order, and a sequence is to be what it is alone.
    rows.decode = doubling(1, options.mode == Mode::Eager ? 1 : options.batch);
  }
  if (use.uncached)
    rows.forward = options.mode == Mode::Eager ? std::vector<int64_t>{-1}
                                               : forwardRows(16, positions);
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
  pipeline.precision = options.precision.value_or(Precision::F32);
  pipeline.target = hostTarget(planThreads(options));
  pipeline.disabledPasses = options.disabledPasses;
  pipeline.printAfter = options.printAfter;
  pipeline.eager = options.mode == Mode::Eager;
  pipeline.timing = options.timing;
  return pipeline;
}

/// Names the ops of an imported model, for programs to be followed by.
static Result<void> traceGraph(ModuleInProgress &model) {
  DiagnosticText diagnostics(model.context.get());
  auto graph = nameOps(*model.module, model.positions);
  if (mlir::failed(graph))
    return diagnostics.failure();
  model.tracedGraph = std::move(*graph);
  return {};
}

/// Settles what the options ask of a description.
static Result<void> settle(const ModelOptions &options, const ProgramUse &use,
                           ModuleInProgress &model) {
  auto description = findModel(*model.module);
  if (!description) {
    auto checked = checkDerived(options);
    return checked && use.opNames ? nameDerived(model) : checked;
  }
  auto positions = settlePositions(options, description);
  if (!positions)
    return std::unexpected(positions.error());
  model.positions = *positions;
  return use.opNames ? traceGraph(model) : Result<void>();
}

/// That the passes which the options steer are still to come.
static Result<void> checkStage(const ModelOptions &options, Stage from) {
  if (options.mode == Mode::Eager && from > Stage::Specialized)
    return failure("--mode: got eager with a module at stage {}, expected one "
                   "at stage imported or specialized",
                   nameOf(from).str());
  if (options.precision && from >= Stage::Typed)
    return failure("--precision: got it with a module at stage {}, expected "
                   "one before stage typed",
                   nameOf(from).str());
  return {};
}

Result<ModuleInProgress> buildModule(const ModelOptions &options,
                                     const ProgramUse &use, Stage stage) {
  auto result = importModel(options.model);
  if (!result)
    return result;
  Result<void> done = settle(options, use, *result);
  if (done) {
    result->pipeline = pipelineOptions(options, use, stage, result->positions);
    result->pipeline.from = stageOf(*result->module).value_or(stage);
    done = checkStage(options, result->pipeline.from);
  }
  if (done) {
    done = runPipeline(*result->module, result->pipeline);
  }
  if (done)
    return result;
  std::string model = options.model.string();
  if (done.error().message.starts_with(model + ":")) // by line and column
    return std::unexpected(done.error());
  return failure("{}: {}", model, done.error().message);
}

} // namespace tandem
