#include "tools/dump/DataFlow.h"
#include "ir/Buffers.h"
#include "ir/Work.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tandem {

llvm::StringRef argumentName(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    argumentNameAttrName);
  return name ? name.getValue() : llvm::StringRef();
}

namespace {

class Tracer {
public:
  explicit Tracer(func::FuncOp function) : function(function) {}

  std::vector<DataEdge> run() {
    for (Operation &op : function.front()) {
      if (auto end = dyn_cast<func::ReturnOp>(op))
        traceReturn(end);
      else if (doesWork(&op))
        traceOp(op);
    }
    for (BlockArgument argument : function.getArguments())
      if (auto writer = writers.find(argument);
          writer != writers.end() && !isa<KvCacheType>(argument.getType()))
        edges.push_back(
            {writer->second, nullptr, argument, argumentName(argument)});
    return std::move(edges);
  }

private:
  /// The buffer that a view looks at: a place in the arena, or an argument.
  static Value buffer(Value value) {
    while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
      if (isByteBuffer(view.getViewSource().getType()))
        return value;
      value = view.getViewSource();
    }
    return value;
  }

  Operation *makerOf(Value value) const {
    auto writer = writers.find(buffer(value));
    return writer != writers.end() ? writer->second : value.getDefiningOp();
  }

  void traceOp(Operation &op) {
    llvm::SmallVector<Value> written;
    if (auto compute = dyn_cast<ComputeOpInterface>(op))
      llvm::append_range(written, compute.getDestinations());
    else if (!isa<KvAppendOp>(op)) // a copy
      written.push_back(op.getOperands().back());
    for (Value operand : op.getOperands().drop_back(written.size()))
      if (!isByteBuffer(operand.getType()))
        edges.push_back({makerOf(operand), &op, operand, {}});
    if (isa<KvAppendOp>(op) && op.getNumResults() == 0)
      written.push_back(op.getOperand(0)); // the cache, in place
    for (Value value : written)
      writers[buffer(value)] = &op;
  }

  void traceReturn(func::ReturnOp op) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto name = function.getResultAttrOfType<StringAttr>(
          operand.getOperandNumber(), argumentNameAttrName);
      if (!isa<KvCacheType>(operand.get().getType()))
        edges.push_back({makerOf(operand.get()), nullptr, operand.get(),
                         name ? name.getValue() : llvm::StringRef()});
    }
  }

  func::FuncOp function;
  llvm::DenseMap<Value, Operation *> writers;
  std::vector<DataEdge> edges;
};

} // namespace

std::vector<DataEdge> dataEdges(func::FuncOp function) {
  return Tracer(function).run();
}

} // namespace tandem
