#include "passes/PassEntry.h"
#include "passes/Passes.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tandem;

namespace {

template <typename Op>
std::unique_ptr<Pass> counting(std::unique_ptr<Pass> pass, PassReport &report) {
  static_cast<CountingPass<Op> &>(*pass).reportTo(report);
  return pass;
}

/// A pass of ours on modules, which counts into the report.
template <typename Create> auto onModule(Create create) {
  return [create](OpPassManager &manager, PassReport &report) {
    manager.addPass(counting<ModuleOp>(create(), report));
  };
}

template <typename Create> auto onFunctions(Create create) {
  return [create](OpPassManager &manager, PassReport &report) {
    manager.addNestedPass<func::FuncOp>(
        counting<func::FuncOp>(create(), report));
  };
}

/// A pass of MLIR's own.
auto foreign(std::unique_ptr<Pass> (*create)()) {
  return [create](OpPassManager &manager, PassReport &) {
    manager.addPass(create());
  };
}

using enum PassKind;

std::vector<PassEntry> specializing(const ProgramRows &rows) {
  SpecializePhasesOptions phases;
  phases.prefill = rows.prefill;
  phases.decode = rows.decode;
  phases.head = rows.head;
  phases.forward = rows.forward;
  return {
      // Static rows from here on; only what a cached program reads of the
      // cache, and an eager program without one, stay open.
      {Stage::Specialized, Lowering, "specialize-phases",
       onModule([=] { return createSpecializePhases(phases); })},
      // Before fusion, so that eager runs the same cache ops.
      {Stage::Specialized, Lowering, "insert-kv-cache",
       onModule([] { return createInsertKvCache(); })},
      // Each program reads a parameter once, and what the cache bypassed goes.
      {Stage::Specialized, Lowering, "canonicalize",
       foreign(createCanonicalizerPass)},
      {Stage::Specialized, Lowering, "cse", foreign(createCSEPass)},
  };
}

std::vector<PassEntry> fusing(const TargetInfo &target) {
  return {
      // Attention first: what moves rows to heads and back cancels out, so that
      // linears meet.
      {Stage::Fused, Fusion, "fuse-attention",
       onFunctions([] { return createFuseAttention(); })},
      // Residuals go into linears before the norms look for sums.
      {Stage::Fused, Fusion, "fuse-linear",
       onFunctions([] { return createFuseLinear(); })},
      // What fused attention reads can be slices of one product: known by now,
      // and biases are in their linears.
      {Stage::Fused, Fusion, "merge-projections",
       onModule([=] { return createMergeProjections(target); })},
      // Before the norms: add_embedding and layer_norm move 5 rows in 2 steps
      // (two read from tables, the sum written and read, the norm written); two
      // embeddings and add_layer_norm would move 8 in 3.
      {Stage::Fused, Fusion, "fuse-embedding",
       onFunctions([] { return createFuseEmbedding(); })},
      {Stage::Fused, Fusion, "fuse-add-layer-norm",
       onFunctions([] { return createFuseAddLayerNorm(); })},
  };
}

std::vector<PassEntry> planning(const TargetInfo &target, Precision precision) {
  ChoosePrecisionOptions chosen;
  chosen.precision = name(precision);
  return {
      // Once linears are whole: one cast for all that read a value.
      {Stage::Typed, Optimisation, "choose-precision",
       onModule([=] { return createChoosePrecision(chosen); })},
      // What was not fused must have sizes before buffers are allocated.
      {Stage::Typed, Planning, "bound-cache-reads",
       onFunctions([] { return createBoundCacheReads(); })},
      // One packed copy a weight: all readers are known now.
      {Stage::LaidOut, Optimisation, "assign-layouts",
       onModule([] { return createAssignLayouts(); })},
      // On tensors, where the order of ops is free; after the layouts, on which
      // scratch depends.
      {Stage::Scheduled, Optimisation, "schedule",
       onFunctions([=] { return createSchedule(target); })},
      {Stage::Planned, Planning, "bufferize",
       onModule([=] { return createBufferize(target); })},
      // Last: every buffer and its life are known.
      {Stage::Planned, Planning, "plan-memory",
       onModule([=] { return createPlanMemory(target); })},
  };
}

} // namespace

std::vector<PassEntry> tandem::passEntries(const PipelineOptions &options) {
  std::vector<PassEntry> all = specializing(options.rows);
  llvm::append_range(all, fusing(options.target));
  llvm::append_range(all, planning(options.target, options.precision));
  return all;
}
