#include "passes/Pipeline.h"
#include "ir/Diagnostics.h"
#include "passes/Legality.h"
#include "passes/Passes.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tandem;

namespace {

/// Fusions are optimisations. Eager programs do without them, and without what
/// only a plan needs.
enum class Kind { Lowering, Planning, Fusion, Optimisation };

bool mayBeSkipped(Kind kind) {
  return kind == Kind::Fusion || kind == Kind::Optimisation;
}

bool runsEager(Kind kind) {
  return kind == Kind::Lowering || kind == Kind::Optimisation;
}

struct Entry {
  Stage stage; // the first stage that shows its effect
  Kind kind;
  std::string name;
  std::function<void(OpPassManager &, PassReport &)> add;
};

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

using enum Kind;

std::vector<Entry> specializing(const ProgramRows &rows) {
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

std::vector<Entry> fusing(const TargetInfo &target) {
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

std::vector<Entry> planning(const TargetInfo &target, Precision precision) {
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

/// The pipeline: every pass in order, each with its reason.
std::vector<Entry> entries(const PipelineOptions &options) {
  std::vector<Entry> all = specializing(options.rows);
  llvm::append_range(all, fusing(options.target));
  llvm::append_range(all, planning(options.target, options.precision));
  return all;
}

Result<void> checkNames(const std::vector<std::string> &known,
                        llvm::ArrayRef<std::string> names) {
  for (const std::string &name : names)
    if (!llvm::is_contained(known, name))
      return failure("pass: got '{}', expected {}{}", name,
                     known.empty() ? "none" : "one of ",
                     fmt::join(known, ", "));
  return {};
}

bool runs(const Entry &entry, const PipelineOptions &options) {
  return entry.stage > options.from && entry.stage <= options.stage &&
         (!options.eager || runsEager(entry.kind)) &&
         !llvm::is_contained(options.disabledPasses, entry.name);
}

} // namespace

std::vector<std::string> tandem::passNames(Stage from) {
  std::vector<std::string> names;
  for (const Entry &entry : entries({}))
    if (entry.stage > from)
      names.push_back(entry.name);
  return names;
}

std::vector<std::string> tandem::optimisationNames(Stage from) {
  std::vector<std::string> names;
  for (const Entry &entry : entries({}))
    if (entry.stage > from && mayBeSkipped(entry.kind))
      names.push_back(entry.name);
  return names;
}

static void checkLegality(OpPassManager &manager, StringRef after) {
  if (!llvm::is_contained(passesWithLegality(), after))
    return;
  CheckLegalityOptions options;
  options.after = after.str();
  manager.addPass(createCheckLegality(options));
}

Result<void> tandem::buildPipeline(PassManager &manager,
                                   const PipelineOptions &options,
                                   PassReport &report) {
  std::vector<Entry> all = entries(options);
  if (auto known =
          checkNames(optimisationNames(options.from), options.disabledPasses);
      !known)
    return known;
  if (auto known = checkNames(passNames(options.from), options.printAfter);
      !known)
    return known;
  for (const Entry &entry : all)
    if (runs(entry, options)) {
      entry.add(manager, report);
      checkLegality(manager, entry.name);
    }
  if (!options.printAfter.empty()) {
    std::vector<std::string> names = options.printAfter;
    manager.enableIRPrinting([](Pass *, Operation *) { return false; },
                             [names](Pass *pass, Operation *) {
                               return llvm::is_contained(names,
                                                         pass->getArgument());
                             },
                             /*printModuleScope=*/true);
  }
  manager.addInstrumentation(report.timer());
  return {};
}

std::vector<std::string> tandem::passesOf(const PipelineOptions &options) {
  std::vector<std::string> names;
  for (const Entry &entry : entries(options))
    if (runs(entry, options))
      names.push_back(entry.name);
  return names;
}

/// Writes down in a module that it has come from one stage to another.
static void stateStage(ModuleOp module, Stage from,
                       const PipelineOptions &options) {
  Builder builder(module->getContext());
  module->setAttr(stageAttrName, builder.getStringAttr(nameOf(options.stage)));
  if (from < Stage::Planned && options.stage == Stage::Planned)
    module->setAttr(threadsAttrName,
                    builder.getI64IntegerAttr(options.target.numThreads));
}

Result<void> tandem::runPipeline(ModuleOp module,
                                 const PipelineOptions &options) {
  Result<Stage> from = stageOf(module);
  if (!from)
    return std::unexpected(from.error());
  if (options.stage < *from)
    return failure("stage: got {}, expected {} or a later one, which is where "
                   "the module is",
                   nameOf(options.stage).str(), nameOf(*from).str());
  PipelineOptions rest = options;
  rest.from = *from;
  PassManager manager(module->getContext());
  PassReport report;
  if (auto built = buildPipeline(manager, rest, report); !built)
    return built;
  module->removeAttr(stageAttrName); // on the way it is at none
  DiagnosticText diagnostics(module->getContext());
  bool done = succeeded(manager.run(module));
  if (options.timing)
    report.print(llvm::errs());
  if (!done)
    return diagnostics.failure();
  stateStage(module, *from, options);
  return {};
}

Result<void> tandem::runPassByPass(ModuleOp module,
                                   const PipelineOptions &options,
                                   llvm::function_ref<bool(StringRef)> after) {
  if (auto known =
          checkNames(optimisationNames(options.from), options.disabledPasses);
      !known)
    return known;
  PassReport report;
  for (const Entry &entry : entries(options)) {
    if (!runs(entry, options))
      continue;
    PassManager manager(module->getContext());
    entry.add(manager, report);
    {
      DiagnosticText diagnostics(module->getContext());
      if (failed(manager.run(module)))
        return diagnostics.failure();
    }
    if (!after(entry.name))
      return {};
  }
  return {};
}
