#include "passes/ReadPlan.h"
#include "ir/Buffers.h"
#include "ir/Work.h"
#include "support/Layout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tandem;

static BlockArgument arenaOf(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (isByteBuffer(argument.getType()))
      return argument;
  return nullptr;
}

namespace {

/// The steps at which a view of the arena, or a view of that one, is used.
struct Life {
  int32_t first = INT32_MAX, last = -1;
};

} // namespace

static void extend(Life &life, Value view,
                   const llvm::DenseMap<Operation *, int32_t> &steps) {
  for (Operation *user : view.getUsers()) {
    if (auto inner = dyn_cast<memref::SubViewOp>(user)) {
      extend(life, inner.getResult(), steps);
      continue;
    }
    life.first = std::min(life.first, steps.lookup(user));
    life.last = std::max(life.last, steps.lookup(user));
  }
}

std::optional<ArenaUse> tandem::readPlan(func::FuncOp function) {
  BlockArgument arena = arenaOf(function);
  if (!arena)
    return std::nullopt;
  llvm::DenseMap<Operation *, int32_t> steps;
  for (auto [i, op] : llvm::enumerate(function.front()))
    steps[&op] = i;
  std::vector<BufferRequest> requests;
  std::vector<int64_t> offsets;
  for (auto view : function.front().getOps<memref::ViewOp>()) {
    auto offset = view.getByteShift().getDefiningOp<arith::ConstantIndexOp>();
    Life life;
    extend(life, view.getResult(), steps);
    std::optional<int64_t> size = sizeInBytes(view.getResult());
    if (!offset || !size || life.last < 0)
      continue;
    requests.push_back({*size, life.first, life.last, {}});
    // In place: over a buffer that dies where this one begins.
    for (auto [i, at] : llvm::enumerate(offsets))
      if (at == offset.value() && requests[i].lastUse == life.first)
        requests.back().mayReplace.push_back(i);
    offsets.push_back(offset.value());
  }
  return ArenaUse{cast<ShapedType>(arena.getType()).getNumElements(),
                  planBuffers(requests, bufferAlignment).lowerBound};
}
