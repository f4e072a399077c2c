#include "passes/MemoryUse.h"
#include "passes/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace tandem {
#define GEN_PASS_DEF_BUFFERIZE
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

MemRefType bufferType(Type tensor, StorageClass storage) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType(),
                         MemRefLayoutAttrInterface(),
                         StorageClassAttr::get(tensor.getContext(), storage));
}

/// Rewrites one function on tensors into one on buffers, op by op.
class FunctionBufferizer {
public:
  FunctionBufferizer(func::FuncOp function, const TargetInfo &target)
      : function(function), target(target), builder(function.getContext()) {}

  LogicalResult run() {
    if (failed(checkCacheIsUsedInOrder()))
      return failure();
    addOutputs();
    Block &block = function.front();
    for (BlockArgument argument : block.getArguments())
      if (isa<RankedTensorType>(argument.getType()))
        argument.setType(
            bufferType(argument.getType(), StorageClass::External));
    SmallVector<Operation *> old;
    for (Operation &op : block.without_terminator())
      old.push_back(&op);
    for (Operation *op : old)
      if (failed(rewrite(op)))
        return failure();
    auto end = cast<func::ReturnOp>(block.getTerminator());
    builder.setInsertionPoint(end);
    for (auto [value, output] : outputs) {
      Value buffer = lookup(value);
      if (buffer != output) // a result that is an argument, or given twice
        builder.create<memref::CopyOp>(end.getLoc(), buffer, output);
    }
    end->setOperands({});
    for (Operation *op : llvm::reverse(old))
      op->erase();
    function.setFunctionType(
        builder.getFunctionType(block.getArgumentTypes(), {}));
    return success();
  }

private:
  /// Appends may only follow one another, since each overwrites the last.
  LogicalResult checkCacheIsUsedInOrder() {
    if (Operation *reader = findStaleCacheRead(function))
      return reader->emitOpError(
          "cache: got a state that a kv_append before it overwrote, expected "
          "that append's result");
    return success();
  }

  void addOutputs() {
    auto end = cast<func::ReturnOp>(function.front().getTerminator());
    for (OpOperand &operand : end->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      unsigned index = function.getNumArguments();
      function.insertArgument(
          index, bufferType(operand.get().getType(), StorageClass::External),
          function.getResultAttrDict(operand.getOperandNumber()), end.getLoc());
      Value output = function.getArgument(index);
      outputs.push_back({operand.get(), output});
    }
    function.removeResAttrsAttr();
  }

  Value lookup(Value value) { return mapping.lookupOrDefault(value); }

  /// Where `result` goes: an output that nothing has claimed, or a new buffer.
  Value destinationFor(Value result) {
    for (auto [value, output] : outputs)
      if (value == result)
        return output;
    return builder.create<memref::AllocOp>(
        result.getLoc(), bufferType(result.getType(), StorageClass::Transient));
  }

  LogicalResult rewrite(Operation *op) {
    builder.setInsertionPoint(op);
    if (auto weight = dyn_cast<WeightOp>(op)) {
      mapping.map(
          weight.getResult(),
          builder.create<WeightOp>(
              op->getLoc(),
              bufferType(weight.getResult().getType(), StorageClass::Constant),
              weight.getParameter()));
      return success();
    }
    if (auto slice = dyn_cast<SliceOp>(op); slice && isView(slice, target))
      return view(slice);
    for (Value result : op->getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType());
          type && !type.hasStaticShape())
        return op->emitOpError("result: got ")
               << type << ", expected a static shape to allocate";
    return rewriteCompute(op);
  }

  LogicalResult view(SliceOp op) {
    Value source = lookup(op.getX());
    auto shape = cast<ShapedType>(op->getResult(0).getType()).getShape();
    SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0)),
        sizes, strides(shape.size(), builder.getIndexAttr(1));
    offsets[op.getDim()] = builder.getIndexAttr(op.getOffset());
    for (int64_t size : shape)
      sizes.push_back(builder.getIndexAttr(size));
    mapping.map(op->getResult(0),
                builder.create<memref::SubViewOp>(op.getLoc(), source, offsets,
                                                  sizes, strides));
    return success();
  }

  LogicalResult rewriteCompute(Operation *op) {
    SmallVector<Value> destinations;
    for (Value result : op->getResults()) {
      if (isa<KvCacheType>(result.getType())) {
        mapping.map(result, lookup(op->getOperand(0)));
        continue;
      }
      destinations.push_back(destinationFor(result));
      mapping.map(result, destinations.back());
    }
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      state.addOperands(lookup(operand));
    Value scratch = allocateScratch(op);
    if (scratch)
      state.addOperands(scratch);
    state.addOperands(destinations);
    state.attributes = op->getAttrDictionary();
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *made = builder.create(state);
    setSegments(op, made, scratch != nullptr, destinations.size());
    return success();
  }

  Value allocateScratch(Operation *op) {
    int64_t bytes = scratchBytes(op, target);
    if (bytes == 0)
      return {};
    auto space =
        StorageClassAttr::get(op->getContext(), StorageClass::Transient);
    return builder.create<memref::AllocOp>(
        op->getLoc(), MemRefType::get(bytes, builder.getI8Type(),
                                      MemRefLayoutAttrInterface(), space));
  }

  /// Operand segments of the new op: the last two are scratch and destinations.
  void setSegments(Operation *from, Operation *made, bool hasScratch,
                   size_t numDestinations) {
    auto sizes = from->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
    if (!sizes)
      return;
    SmallVector<int32_t> updated(sizes.asArrayRef());
    updated.back() = numDestinations;
    updated[updated.size() - 2] = hasScratch;
    made->setAttr("operandSegmentSizes", builder.getDenseI32ArrayAttr(updated));
  }

  func::FuncOp function;
  const TargetInfo &target;
  OpBuilder builder;
  IRMapping mapping;
  SmallVector<std::pair<Value, Value>> outputs; // tensor returned -> argument
};

struct Bufferize : tandem::impl::BufferizeBase<Bufferize> {
  Bufferize() = default;
  explicit Bufferize(TargetInfo target) : target(std::move(target)) {}

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          failed(FunctionBufferizer(function, target).run()))
        return signalPassFailure();
    int64_t buffers = 0, views = 0, copies = 0;
    getOperation().walk([&](Operation *op) {
      buffers += isa<memref::AllocOp>(op);
      views += isa<memref::SubViewOp>(op);
      copies += isa<memref::CopyOp>(op);
    });
    count({{"buffers allocated", buffers},
           {"slices viewed", views},
           {"results copied", copies}});
  }

  TargetInfo target;
};

} // namespace

std::unique_ptr<Pass> tandem::createBufferize(const TargetInfo &target) {
  return std::make_unique<Bufferize>(target);
}
