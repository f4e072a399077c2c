#include "ir/ElementTypes.h"
#include "ir/Parameters.h"
#include "passes/BufferPlan.h"
#include "passes/Passes.h"

namespace tandem {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

/// The buffer that a view, through any number of subviews, lies in.
Value root(Value value) {
  while (auto view = value.getDefiningOp<memref::SubViewOp>())
    value = view.getSource();
  return value;
}

/// Places the transient buffers of one function.
class FunctionPlanner {
public:
  FunctionPlanner(func::FuncOp function, const TargetInfo &target)
      : function(function), target(target) {}

  /// The plan that has been carried out.
  FailureOr<BufferPlan> run() {
    collect();
    allowInPlace();
    BufferPlan plan = planBuffers(requests, bufferAlignment);
    if (Result<void> valid = checkPlan(requests, plan, bufferAlignment); !valid)
      return function.emitOpError("memory plan: ") << valid.error().message;
    rewrite(plan);
    return plan;
  }

private:
  void collect() {
    int32_t step = 0;
    for (Operation &op : function.front()) {
      steps[&op] = step++;
      if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
        indices[alloc.getResult()] = allocs.size();
        allocs.push_back(alloc);
        requests.push_back(
            {arraySizeInBytes(alloc.getType()), INT32_MAX, -1, {}});
        continue;
      }
      if (isa<memref::SubViewOp>(op))
        continue; // its readers count
      for (Value operand : op.getOperands())
        if (auto found = indices.find(root(operand)); found != indices.end()) {
          BufferRequest &request = requests[found->second];
          request.firstUse = std::min(request.firstUse, steps[&op]);
          request.lastUse = std::max(request.lastUse, steps[&op]);
        }
    }
    for (BufferRequest &request : requests)
      if (request.lastUse < 0) // never touched
        request.firstUse = request.lastUse = 0;
  }

  /// Notes which dying operand each destination may take the place of.
  void allowInPlace() {
    for (Operation &op : function.front()) {
      auto compute = dyn_cast<ComputeOpInterface>(op);
      if (!compute)
        continue;
      for (const InPlaceRule &rule : target.inPlace) {
        if (op.getName().stripDialect() != rule.op ||
            rule.destination >= compute.getDestinations().size())
          continue;
        Value operand = operandOf(op, rule.operand);
        Value destination = compute.getDestinations()[rule.destination];
        auto from = operand ? indices.find(operand) : indices.end();
        auto to = indices.find(destination);
        auto isView = [&](Value other) { return root(other) == operand; };
        if (from == indices.end() || to == indices.end() ||
            operand.getType() != destination.getType() ||
            llvm::count_if(op.getOperands(), isView) != 1)
          continue;
        requests[to->second].mayReplace.push_back(from->second);
      }
    }
  }

  /// The operand that a rule means, if it is there: of a linear, whose operands
  /// vary in number, the residual.
  static Value operandOf(Operation &op, unsigned index) {
    auto linear = dyn_cast<LinearOp>(op);
    return linear ? linear.getResidual() : op.getOperand(index);
  }

  void rewrite(const BufferPlan &plan) {
    OpBuilder builder(function);
    auto space =
        StorageClassAttr::get(function.getContext(), StorageClass::Transient);
    auto type = MemRefType::get(plan.sizeInBytes, builder.getI8Type(),
                                MemRefLayoutAttrInterface(), space);
    auto name = builder.getNamedAttr(argumentNameAttrName,
                                     builder.getStringAttr("arena"));
    function.insertArgument(0, type, builder.getDictionaryAttr(name),
                            function.getLoc());
    for (auto [alloc, offset] : llvm::zip_equal(allocs, plan.offsets)) {
      builder.setInsertionPoint(alloc);
      Value at = builder.create<arith::ConstantIndexOp>(alloc.getLoc(), offset);
      Value view = builder.create<memref::ViewOp>(
          alloc.getLoc(), alloc.getType(), function.getArgument(0), at,
          ValueRange());
      alloc.getResult().replaceAllUsesWith(view);
      alloc.erase();
    }
  }

  func::FuncOp function;
  const TargetInfo &target;
  llvm::DenseMap<Operation *, int32_t> steps;
  llvm::DenseMap<Value, int32_t> indices;
  SmallVector<memref::AllocOp> allocs;
  std::vector<BufferRequest> requests;
};

struct PlanMemory : tandem::impl::PlanMemoryBase<PlanMemory> {
  PlanMemory() = default;
  explicit PlanMemory(TargetInfo target) : target(std::move(target)) {}

  void runOnOperation() override {
    int64_t constantBytes = placeParameters(), arenaBytes = 0, lowerBound = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      FailureOr<BufferPlan> plan = FunctionPlanner(function, target).run();
      if (failed(plan))
        return signalPassFailure();
      arenaBytes += plan->sizeInBytes;
      lowerBound += plan->lowerBound;
    }
    count({{"constant bytes", constantBytes},
           {"arena bytes", arenaBytes},
           {"lower bound", lowerBound}});
  }

  /// Parameters one after another; one that no program reads has no place.
  /// Returns the bytes that all take.
  int64_t placeParameters() {
    int64_t offset = 0;
    llvm::DenseSet<StringAttr> read = parametersRead(getOperation());
    for (auto parameter : getOperation().getOps<ParameterOp>()) {
      if (!read.contains(parameter.getSymNameAttr()))
        continue;
      parameter.setOffset(offset);
      offset =
          llvm::alignTo(offset + packedSizeInBytes(parameter), bufferAlignment);
    }
    return offset;
  }

  TargetInfo target;
};

} // namespace

std::unique_ptr<Pass> tandem::createPlanMemory(const TargetInfo &target) {
  return std::make_unique<PlanMemory>(target);
}
