#include "passes/MemoryUse.h"

#include "ir/ElementTypes.h"

using namespace mlir;
using namespace tandem;

/// True for what goes straight into the caller's memory.
static bool isReturned(Value value) {
  return llvm::any_of(value.getUsers(), llvm::IsaPred<func::ReturnOp>);
}

bool tandem::readsRowsApart(OpOperand &use, const TargetInfo &target) {
  return llvm::any_of(target.strided, [&](const StridedRule &rule) {
    return use.getOwner()->getName().stripDialect() == rule.op &&
           use.getOperandNumber() == rule.operand;
  });
}

bool tandem::isView(SliceOp slice, const TargetInfo &target) {
  Operation *source = slice.getX().getDefiningOp(); // null for an argument
  if (slice.getDim() != 1 || !source || isa<SliceOp>(source) ||
      isReturned(slice.getX()) || isReturned(slice->getResult(0)))
    return false;
  return llvm::all_of(slice->getUses(), [&](OpOperand &use) {
    return readsRowsApart(use, target);
  });
}

static bool isPacked(Value weight) {
  auto op = weight.getDefiningOp<WeightOp>();
  auto parameter = op ? SymbolTable::lookupNearestSymbolFrom<ParameterOp>(
                            op, op.getParameterAttr())
                      : nullptr;
  return parameter && parameter.getLayout() != WeightLayout::Plain;
}

int64_t tandem::scratchBytes(Operation *op, const TargetInfo &target) {
  if (!isa<LinearOp, AttentionOp, CachedAttentionOp>(op))
    return 0;
  ScratchQuery query;
  query.op = op->getName().stripDialect();
  auto x = cast<ShapedType>(op->getOperand(0).getType());
  if (x.isDynamicDim(0))
    return 0; // it gets no buffers either
  query.rows = x.getDimSize(0);
  if (auto attention = dyn_cast<AttentionOp>(op))
    query.headSize = x.getDimSize(1) / attention.getHeads();
  else if (auto cached = dyn_cast<CachedAttentionOp>(op))
    query.headSize = cached.getCache().getType().getHeadSize();
  else if (auto linear = dyn_cast<LinearOp>(op)) {
    query.depth = x.getDimSize(1);
    query.isPacked = isPacked(linear.getWeight());
    query.weightType =
        *elementTypeOf(getElementTypeOrSelf(linear.getWeight().getType()));
  }
  return target.scratchBytes(query);
}

Operation *tandem::findStaleCacheRead(func::FuncOp function) {
  Operation *found = nullptr;
  function.walk([&](KvAppendOp append) {
    for (Operation *user : append.getCache().getUsers())
      if (user != append && user->getBlock() == append->getBlock() &&
          !user->isBeforeInBlock(append) && !found)
        found = user;
  });
  return found;
}
