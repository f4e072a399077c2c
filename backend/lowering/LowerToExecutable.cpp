#include "backend/lowering/LowerToExecutable.h"
#include "backend/lowering/LowerProgram.h"
#include "backend/lowering/Summarize.h"
#include "ir/Diagnostics.h"
#include "ir/ElementTypes.h"
#include "ir/Parameters.h"

using namespace mlir;
using namespace tandem;

/// The constants in use: where the plan put them, or, before there is a plan,
/// one after another.
static void placeConstants(ModuleOp module, Executable &executable,
                           ConstantPlaces &places) {
  llvm::DenseSet<StringAttr> read = parametersRead(module);
  for (auto parameter : module.getOps<ParameterOp>()) {
    if (!read.contains(parameter.getSymNameAttr()))
      continue;
    Constant constant;
    constant.name = parameter.getSymName().str();
    constant.shape = cast<ShapedType>(parameter.getType()).getShape().vec();
    constant.type =
        *elementTypeOf(cast<ShapedType>(parameter.getType()).getElementType());
    constant.layout = layoutOf(parameter);
    constant.offset = parameter.getOffset().value_or(executable.constantBytes);
    for (FlatSymbolRefAttr part : parameter.getPartRefs())
      constant.parts.push_back(part.getValue().str());
    constant.partsDim = parameter.getDim().value_or(0);
    int64_t end = constant.offset + packedSizeInBytes(parameter);
    executable.constantBytes = std::max<int64_t>(
        executable.constantBytes, llvm::alignTo(end, bufferAlignment));
    places[constant.name] = constant;
    executable.constants.push_back(std::move(constant));
  }
}

static KvCacheLayout cacheLayout(ModuleOp module) {
  KvCacheLayout layout;
  module.walk([&](func::FuncOp function) {
    for (Type type : function.getArgumentTypes())
      if (auto cache = dyn_cast<KvCacheType>(type)) {
        layout.layers = cache.getLayers();
        layout.heads = cache.getHeads();
        layout.headSize = cache.getHeadSize();
        layout.blockSize = cache.getBlock();
        layout.positions = cache.getPositions();
      }
  });
  return layout;
}

Result<Executable> tandem::lowerToExecutable(ModuleOp module) {
  DiagnosticText diagnostics(module->getContext());
  Executable executable;
  ConstantPlaces places;
  placeConstants(module, executable, places);
  executable.kvCache = cacheLayout(module);
  executable.model = summarize(module);
  if (auto threads = module->getAttrOfType<IntegerAttr>(threadsAttrName))
    executable.numThreads = threads.getInt();
  for (auto function : module.getOps<func::FuncOp>()) {
    FailureOr<Program> program = lowerProgram(function, places);
    if (mlir::failed(program))
      return diagnostics.failure();
    executable.programs.push_back(std::move(*program));
  }
  return executable;
}
