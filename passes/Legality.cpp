#include "passes/Legality.h"

#include "passes/AgreedLayout.h"
#include "passes/MemoryUse.h"
#include "passes/SequenceAnalysis.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tandem;

namespace {

/// An error on `op`, to be continued with what was got and expected.
InFlightDiagnostic illegal(Operation *op, StringRef pass) {
  return op->emitOpError("is illegal after ") << pass << ": ";
}

/// `check` of every op of a kind; fails where one did.
template <typename Op>
LogicalResult all(ModuleOp module,
                  llvm::function_ref<LogicalResult(Op)> check) {
  return failure(module
                     .walk([&](Op op) {
                       return failed(check(op)) ? WalkResult::interrupt()
                                                : WalkResult::advance();
                     })
                     .wasInterrupted());
}

LogicalResult noModelIsLeft(ModuleOp module, StringRef pass) {
  return all<func::FuncOp>(module, [&](func::FuncOp function) -> LogicalResult {
    ProgramAttr program = getProgram(function);
    if (program && program.getPhase() == Phase::Model)
      return illegal(function, pass)
             << "got a function of phase 'model', expected programs alone";
    return success();
  });
}

/// Each layer appends once, and its rows meet each other in the cache alone.
LogicalResult attendsToCache(func::FuncOp function, StringRef pass) {
  int64_t layers = 0;
  for (Type type : function.getArgumentTypes())
    if (auto cache = dyn_cast<KvCacheType>(type))
      layers = cache.getLayers();
  if (layers == 0)
    return illegal(function, pass) << "got no cache, expected one";
  SmallVector<int64_t> appends(layers);
  for (auto append : function.getOps<KvAppendOp>())
    if (append.getLayer() < appends.size())
      ++appends[append.getLayer()];
  for (auto [layer, number] : llvm::enumerate(appends))
    if (number != 1)
      return illegal(function, pass) << "got " << number << " appends to layer "
                                     << layer << ", expected 1";
  for (auto attention : function.getOps<AttentionOp>())
    return illegal(attention, pass)
           << "got an attention across rows, expected one to the cache";
  FailureOr<SequenceAnalysis> analysis = SequenceAnalysis::run(function);
  if (failed(analysis))
    return failure();
  for (AttentionSite site : analysis->attentions())
    return illegal(site.scores, pass)
           << "got an attention across rows, expected one to the cache";
  return success();
}

LogicalResult cachedProgramsUseIt(ModuleOp module, StringRef pass) {
  return all<func::FuncOp>(module, [&](func::FuncOp function) {
    ProgramAttr program = getProgram(function);
    bool isCached = program && (program.getPhase() == Phase::Prefill ||
                                program.getPhase() == Phase::Decode);
    return isCached ? attendsToCache(function, pass) : success();
  });
}

LogicalResult cacheReadsHaveBounds(ModuleOp module, StringRef pass) {
  return all<KvReadOp>(module, [&](KvReadOp read) -> LogicalResult {
    if (!read.getNumPositions())
      return illegal(read, pass)
             << "got no num_positions, expected a number of them";
    return success();
  });
}

/// No parameter that all its readers would have in panels stays plain. (That
/// each can read what it gets is for `weight` to verify.)
LogicalResult layoutsFitReaders(ModuleOp module, StringRef pass) {
  llvm::StringMap<SmallVector<OpOperand *>> readers = weightReaders(module);
  for (auto parameter : module.getOps<ParameterOp>()) {
    WeightLayout agreed = agreedLayout(readers[parameter.getSymName()]);
    if (agreed != WeightLayout::Plain && parameter.getLayout() != agreed)
      return illegal(parameter, pass)
             << "got layout " << stringifyWeightLayout(parameter.getLayout())
             << ", expected the " << stringifyWeightLayout(agreed)
             << " that all its readers can read";
  }
  return success();
}

LogicalResult cacheIsReadInOrder(ModuleOp module, StringRef pass) {
  return all<func::FuncOp>(module, [&](func::FuncOp function) -> LogicalResult {
    if (Operation *reader = findStaleCacheRead(function))
      return illegal(reader, pass) << "got a state of the cache that a "
                                      "kv_append before it overwrote, expected "
                                      "that append's result";
    return success();
  });
}

LogicalResult noTensorIsLeft(ModuleOp module, StringRef pass) {
  return all<Operation *>(module, [&](Operation *op) -> LogicalResult {
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    if (auto function = dyn_cast<func::FuncOp>(op))
      llvm::append_range(types, function.getArgumentTypes());
    for (Type type : types)
      if (isa<TensorType>(type))
        return illegal(op, pass) << "got " << type << ", expected memrefs";
    return success();
  });
}

LogicalResult everythingHasAPlace(ModuleOp module, StringRef pass) {
  LogicalResult placed =
      all<memref::AllocOp>(module, [&](memref::AllocOp op) -> LogicalResult {
        return illegal(op, pass)
               << "got an allocation, expected a view of the arena";
      });
  if (failed(placed))
    return failure();
  return all<WeightOp>(module, [&](WeightOp op) -> LogicalResult {
    auto parameter = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(
        op, op.getParameterAttr());
    if (!parameter.getOffset())
      return illegal(parameter, pass) << "got no offset, expected one";
    return success();
  });
}

struct Rule {
  llvm::StringLiteral pass;
  LogicalResult (*check)(ModuleOp module, StringRef pass);
};

/// A pass that is not here makes nothing illegal: the fusions may leave what
/// they cannot match.
constexpr Rule rules[] = {
    {"specialize-phases", noModelIsLeft},
    {"insert-kv-cache", cachedProgramsUseIt},
    {"bound-cache-reads", cacheReadsHaveBounds},
    {"assign-layouts", layoutsFitReaders},
    {"schedule", cacheIsReadInOrder},
    {"bufferize", noTensorIsLeft},
    {"plan-memory", everythingHasAPlace},
};

} // namespace

SmallVector<StringRef> tandem::passesWithLegality() {
  return llvm::map_to_vector(
      rules, [](const Rule &rule) -> StringRef { return rule.pass; });
}

LogicalResult tandem::checkLegalAfter(StringRef pass, ModuleOp module) {
  for (const Rule &rule : rules)
    if (rule.pass == pass)
      return rule.check(module, pass);
  llvm_unreachable("a pass with a rule");
}
