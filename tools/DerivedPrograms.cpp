#include "tools/DerivedPrograms.h"

#include "backend/lowering/Target.h"
#include "frontend/MlirModel.h"
#include "ir/Diagnostics.h"
#include "ir/Tandem.h"
#include "passes/SequenceAnalysis.h"

#include <algorithm>

namespace tandem {

/// The folder of the described model, or an empty path.
static std::filesystem::path folderOf(mlir::ModuleOp module) {
  auto stated = module->getAttrOfType<mlir::StringAttr>(weightsAttrName);
  std::filesystem::path folder = stated ? stated.str() : "";
  std::error_code ignored;
  return std::filesystem::exists(folder / "config.json", ignored)
             ? folder
             : std::filesystem::path();
}

static int64_t positionsOf(mlir::ModuleOp module) {
  int64_t positions = 1;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (ProgramAttr program = getProgram(function))
      positions = std::max(positions, program.getPositions());
  return positions;
}

/// What was asked for when the programs were derived.
static ProgramRows rowsOf(mlir::ModuleOp module) {
  ProgramRows rows;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    ProgramAttr program = getProgram(function);
    mlir::Value input = findArgument(function, "tokens");
    if (!input)
      input = findArgument(function, "hidden");
    if (!program || !input)
      continue;
    int64_t size = llvm::cast<mlir::ShapedType>(input.getType()).getDimSize(0);
    if (mlir::ShapedType::isDynamic(size))
      size = -1;
    switch (program.getPhase()) {
    case Phase::Prefill:
      rows.prefill.push_back(size);
      break;
    case Phase::Decode:
      rows.decode.push_back(size);
      break;
    case Phase::Head:
      rows.head.push_back(size);
      break;
    case Phase::Forward:
      rows.forward.push_back(size);
      break;
    case Phase::Model:
      break;
    }
  }
  return rows;
}

/// The pipeline that brings a description to where `derived` is.
static PipelineOptions pipelineTo(mlir::ModuleOp derived, Stage stage) {
  PipelineOptions pipeline;
  pipeline.stage = stage;
  pipeline.rows = rowsOf(derived);
  auto threads = derived->getAttrOfType<mlir::IntegerAttr>(threadsAttrName);
  pipeline.target = hostTarget(threads ? threads.getInt() : 1);
  return pipeline;
}

/// Gives the ops of a function the names of another's, where both are the same
/// ops. Each function has a context of its own.
static void takeNames(mlir::func::FuncOp derived, mlir::func::FuncOp source) {
  auto &ops = derived.front().getOperations();
  auto &others = source.front().getOperations();
  auto isSame = [](mlir::Operation &op, mlir::Operation &other) {
    return op.getName().getStringRef() == other.getName().getStringRef();
  };
  if (!std::ranges::equal(ops, others, isSame))
    return;
  for (auto [op, other] : llvm::zip_equal(ops, others)) {
    llvm::StringRef name = nameIn(other.getLoc());
    if (!name.empty())
      op.setLoc(mlir::NameLoc::get(
          mlir::StringAttr::get(derived.getContext(), name)));
  }
}

Result<ModelOptions> describedModel(const ModelOptions &options) {
  if (!isMlirFile(options.model))
    return options;
  auto imported = importModel(options.model);
  if (!imported)
    return std::unexpected(imported.error());
  auto stage = stageOf(*imported->module);
  if (!stage)
    return failure("{}: {}", options.model.string(), stage.error().message);
  if (*stage == Stage::Imported)
    return options;
  ModelOptions described = options;
  described.model = folderOf(*imported->module);
  described.context = positionsOf(*imported->module);
  if (described.model.empty())
    return failure("{}: {}: got no folder of a model, expected the one that "
                   "the programs were derived from",
                   options.model.string(), weightsAttrName.str());
  return described;
}

Result<void> nameDerived(ModuleInProgress &derived) {
  auto stage = stageOf(*derived.module);
  if (!stage)
    return std::unexpected(stage.error());
  auto source = importModel(folderOf(*derived.module));
  if (!source)
    return std::unexpected(source.error());
  int64_t positions = positionsOf(*derived.module);
  for (auto function : source->module->getOps<mlir::func::FuncOp>())
    function->setAttr(
        programAttrName,
        ProgramAttr::get(source->context.get(), Phase::Model, positions));
  {
    DiagnosticText diagnostics(source->context.get());
    if (mlir::failed(nameOps(*source->module, positions)))
      return diagnostics.failure();
  }
  if (auto ran =
          runPipeline(*source->module, pipelineTo(*derived.module, *stage));
      !ran)
    return ran;
  for (auto function : derived.module->getOps<mlir::func::FuncOp>())
    if (auto same = source->module->lookupSymbol<mlir::func::FuncOp>(
            function.getName()))
      takeNames(function, same);
  return {};
}

} // namespace tandem
