#include "ir/ElementTypes.h"
#include "passes/ListSchedule.h"
#include "passes/MemoryUse.h"
#include "passes/Passes.h"

#include <numeric>

namespace tandem {
#define GEN_PASS_DEF_SCHEDULE
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

int64_t sizeInBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return 0;
  return arraySizeInBytes(type);
}

/// The source of an op that is nothing but a view of it, else null.
Value sourceOfView(Operation *op, const TargetInfo &target) {
  auto slice = dyn_cast<SliceOp>(op);
  return slice && isView(slice, target) ? slice.getX() : Value();
}

/// The schedule's picture of a block: weights and views take no memory of their
/// own.
std::vector<ScheduleNode> describe(ArrayRef<Operation *> ops,
                                   const TargetInfo &target) {
  llvm::DenseMap<Operation *, int32_t> indices;
  std::vector<ScheduleNode> nodes(ops.size());
  llvm::DenseMap<Value, SmallVector<int32_t>> cacheReaders;
  for (auto [i, op] : llvm::enumerate(ops)) {
    indices[op] = i;
    ScheduleNode &node = nodes[i];
    node.scratchBytes = scratchBytes(op, target);
    bool isFree = isa<WeightOp>(op) || sourceOfView(op, target);
    for (Value result : op->getResults()) {
      node.resultBytes += isFree ? 0 : sizeInBytes(result);
      for (Operation *user : result.getUsers())
        node.keepAlive |= isa<func::ReturnOp>(user);
    }
    for (Value operand : op->getOperands()) {
      // Who reads a view keeps its source alive.
      if (Operation *def = operand.getDefiningOp()) {
        node.operands.push_back(indices.at(def));
        if (Value source = sourceOfView(def, target))
          node.operands.push_back(indices.at(source.getDefiningOp()));
      }
      if (!isa<KvCacheType>(operand.getType()))
        continue;
      if (isa<KvAppendOp>(op)) // in place: after all who read what was there
        llvm::append_range(node.after, cacheReaders[operand]);
      else
        cacheReaders[operand].push_back(i);
    }
  }
  return nodes;
}

struct Schedule : tandem::impl::ScheduleBase<Schedule> {
  Schedule() = default;
  explicit Schedule(TargetInfo target) : target(std::move(target)) {}

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    Block &block = getOperation().getBody().front();
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    std::vector<ScheduleNode> nodes = describe(ops, target);
    std::vector<int32_t> given(nodes.size());
    std::iota(given.begin(), given.end(), 0);
    std::vector<int32_t> order = scheduleForPeak(nodes);
    for (int32_t index : order)
      ops[index]->moveBefore(block.getTerminator());
    // A weight stands with its first reader.
    for (Operation *op : ops)
      if (isa<WeightOp>(op) && !op->use_empty())
        op->moveBefore(firstUser(op));
    count({{"programs reordered", order != given},
           {"peak bytes as given", peakBytes(nodes, given)},
           {"peak bytes", peakBytes(nodes, order)}});
  }

  static Operation *firstUser(Operation *op) {
    Operation *first = *op->user_begin();
    for (Operation *user : op->getUsers())
      if (user->isBeforeInBlock(first))
        first = user;
    return first;
  }

  TargetInfo target;
};

} // namespace

std::unique_ptr<Pass> tandem::createSchedule(const TargetInfo &target) {
  return std::make_unique<Schedule>(target);
}
