#include "ir/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tandem;

bool tandem::isByteBuffer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.getElementType().isInteger(8);
}

bool tandem::isWritten(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    if (auto compute = dyn_cast<ComputeOpInterface>(user))
      return llvm::is_contained(compute.getDestinations(), buffer);
    if (auto copy = dyn_cast<memref::CopyOp>(user))
      return copy.getTarget() == buffer;
    return isa<ViewLikeOpInterface>(user) && isWritten(user->getResult(0));
  });
}

void tandem::addBufferEffects(
    Operation *op, OperandRange destinations,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (destinations.empty())
    return;
  SideEffects::Resource *memory = SideEffects::DefaultResource::get();
  for (OpOperand &operand : op->getOpOperands()) {
    bool isScratch = isByteBuffer(operand.get().getType());
    bool isDestination =
        operand.getOperandNumber() >= destinations.getBeginOperandIndex();
    if (isScratch || isDestination)
      effects.emplace_back(MemoryEffects::Write::get(), &operand, memory);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand, memory);
  }
}

void KvAppendOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getResult())
    return; // on tensors the update is its result
  SideEffects::Resource *memory = SideEffects::DefaultResource::get();
  effects.emplace_back(MemoryEffects::Write::get(), &getCacheMutable(), memory);
  for (OpOperand &operand : getOperation()->getOpOperands().drop_front())
    effects.emplace_back(MemoryEffects::Read::get(), &operand, memory);
}
