#include "ir/Diagnostics.h"
#include "passes/Legality.h"
#include "passes/PassEntry.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace tandem;

namespace {

bool mayBeSkipped(PassKind kind) {
  return kind == PassKind::Fusion || kind == PassKind::Optimisation;
}

bool runsEager(PassKind kind) {
  return kind == PassKind::Lowering || kind == PassKind::Optimisation;
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

bool runs(const PassEntry &entry, const PipelineOptions &options) {
  return entry.stage > options.from && entry.stage <= options.stage &&
         (!options.eager || runsEager(entry.kind)) &&
         !llvm::is_contained(options.disabledPasses, entry.name);
}

} // namespace

std::vector<std::string> tandem::passNames(Stage from) {
  std::vector<std::string> names;
  for (const PassEntry &entry : passEntries({}))
    if (entry.stage > from)
      names.push_back(entry.name);
  return names;
}

std::vector<std::string> tandem::optimisationNames(Stage from) {
  std::vector<std::string> names;
  for (const PassEntry &entry : passEntries({}))
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
  std::vector<PassEntry> all = passEntries(options);
  if (auto known =
          checkNames(optimisationNames(options.from), options.disabledPasses);
      !known)
    return known;
  if (auto known = checkNames(passNames(options.from), options.printAfter);
      !known)
    return known;
  for (const PassEntry &entry : all)
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
  for (const PassEntry &entry : passEntries(options))
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
  for (const PassEntry &entry : passEntries(options)) {
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
