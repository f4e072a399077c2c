#include "ir/Interpreter.h"

#include "ir/Buffers.h"
#include "ir/InterpreterMemory.h"
#include "ir/InterpreterOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tandem;

namespace {

class Execution {
public:
  Execution(func::FuncOp function, KvCacheState *cache, WeightLookup weights,
            OpObserver observer)
      : function(function), cache(cache), weights(weights), observer(observer) {
  }

  LogicalResult bindArguments(ArrayRef<Array> inputs);
  LogicalResult run(Operation *op);
  std::vector<Array> results();

private:
  LogicalResult bindInput(BlockArgument argument, const Array &input);
  LogicalResult bindOutput(BlockArgument argument);
  std::vector<Array> readOperands(Operation *op) const;

  LogicalResult runWeight(WeightOp op);
  bool isInPlace(ComputeOpInterface op, const View &destination);
  LogicalResult runCompute(ComputeOpInterface op);
  llvm::SmallVector<int64_t> sizes(ValueRange values) const;
  LogicalResult bind(Operation *op, FailureOr<View> view);

  func::FuncOp function;
  KvCacheState *cache;
  WeightLookup weights;
  OpObserver observer; // may be null
  llvm::DenseMap<Value, View> views;
  llvm::DenseMap<Value, int64_t> indices;
};

} // namespace

//===-- Arguments ---------------------------------------------------------===//

LogicalResult Execution::bindInput(BlockArgument argument, const Array &input) {
  auto type = cast<ShapedType>(argument.getType());
  bool fits = input.shape.size() == static_cast<size_t>(type.getRank()) &&
              llvm::all_of_zip(type.getShape(), input.shape,
                               [](int64_t declared, int64_t got) {
                                 return ShapedType::isDynamic(declared) ||
                                        declared == got;
                               });
  if (!fits ||
      input.numElements() != static_cast<int64_t>(input.elements.size()))
    return function.emitError()
           << "argument " << argument.getArgNumber() << " of '"
           << function.getName() << "': got " << input.elements.size()
           << " elements of shape [" << ArrayRef(input.shape) << "], expected "
           << type;
  views.try_emplace(argument, View(input, type.getElementType()));
  return success();
}

/// A buffer that starts unwritten: the arena, or an output.
LogicalResult Execution::bindOutput(BlockArgument argument) {
  auto type = cast<MemRefType>(argument.getType());
  if (!type.hasStaticShape())
    return function.emitError()
           << "argument " << argument.getArgNumber() << " of '"
           << function.getName() << "': got " << type
           << ", expected a static shape, since the function writes it";
  views.try_emplace(argument, View(type.getShape(), type.getElementType()));
  return success();
}

LogicalResult Execution::bindArguments(ArrayRef<Array> inputs) {
  SmallVector<BlockArgument> expected;
  for (BlockArgument argument : function.getArguments()) {
    if (auto type = dyn_cast<KvCacheType>(argument.getType())) {
      if (!cache || cache->type != type)
        return (function.emitError()
                << "cache of '" << function.getName() << "': got ")
               << (cache ? mlir::debugString(cache->type) : "none")
               << ", expected " << type;
    } else if (!isByteBuffer(argument.getType()) && !isWritten(argument)) {
      expected.push_back(argument);
    } else if (failed(bindOutput(argument))) {
      return failure();
    }
  }
  if (inputs.size() != expected.size())
    return function.emitError()
           << "inputs of '" << function.getName() << "': got " << inputs.size()
           << ", expected " << expected.size();
  return success(
      llvm::all_of_zip(expected, inputs, [&](auto argument, auto &input) {
        return succeeded(bindInput(argument, input));
      }));
}

std::vector<Array> Execution::results() {
  std::vector<Array> results;
  for (Value value : function.front().getTerminator()->getOperands())
    if (!isa<KvCacheType>(value.getType()))
      results.push_back(views.at(value).read());
  for (BlockArgument argument : function.getArguments())
    if (isa<MemRefType>(argument.getType()) &&
        !isByteBuffer(argument.getType()) && isWritten(argument))
      results.push_back(views.at(argument).read());
  return results;
}

//===-- Ops ---------------------------------------------------------------===//

/// One array an operand, empty for the cache, scratch and unread memory.
std::vector<Array> Execution::readOperands(Operation *op) const {
  std::vector<Array> arrays;
  for (Value operand : op->getOperands())
    arrays.push_back(isa<KvCacheType>(operand.getType()) ||
                             isByteBuffer(operand.getType())
                         ? Array()
                         : views.at(operand).read());
  return arrays;
}

static SmallVector<const Array *> pointers(ArrayRef<Array> arrays) {
  return llvm::map_to_vector(arrays, [](const Array &array) { return &array; });
}

LogicalResult Execution::runWeight(WeightOp op) {
  FailureOr<Array> value = valueOf(op, weights);
  if (succeeded(value))
    views.try_emplace(
        op.getResult(),
        View(*value, cast<ShapedType>(op.getType()).getElementType()));
  return value;
}

/// True if the op reads exactly `destination`, and only where it may.
bool Execution::isInPlace(ComputeOpInterface op, const View &destination) {
  unsigned numRead = op.getDestinations().getBeginOperandIndex();
  auto read = op->getOpOperands().take_front(numRead);
  auto shared = llvm::make_filter_range(read, [&](OpOperand &operand) {
    auto found = views.find(operand.get());
    return found != views.end() && found->second.sharesAll(destination);
  });
  return !shared.empty() && llvm::all_of(shared, mayBeInPlace);
}

LogicalResult Execution::runCompute(ComputeOpInterface op) {
  OperandRange destinations = op.getDestinations();
  for (Value destination : destinations)
    if (!isInPlace(op, views.at(destination)))
      views.at(destination).poison();
  std::vector<Array> operands = readOperands(op);
  Evaluated results = evaluate(op, pointers(operands), cache);
  if (failed(results))
    return failure();
  for (auto [destination, result] : llvm::zip(destinations, *results)) {
    if (failed(expectShape(op, "into", result, views.at(destination).shape)))
      return failure();
    views.at(destination).write(result);
  }
  if (observer)
    observer(op, *results);
  for (auto [value, result] : llvm::zip(op->getResults(), *results))
    views.try_emplace(
        value,
        View(result, cast<ShapedType>(value.getType()).getElementType()));
  for (Value operand : op->getOperands())
    if (isByteBuffer(operand.getType()))
      views.at(operand).poison();
  return success();
}

SmallVector<int64_t> Execution::sizes(ValueRange values) const {
  return llvm::map_to_vector(values,
                             [&](Value value) { return indices.at(value); });
}

LogicalResult Execution::bind(Operation *op, FailureOr<View> view) {
  if (succeeded(view))
    views.try_emplace(op->getResult(0), std::move(*view));
  return view;
}

LogicalResult Execution::run(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](WeightOp op) { return runWeight(op); })
      .Case([&](KvAppendOp op) {
        std::vector<Array> operands = readOperands(op);
        SmallVector<const Array *> named = pointers(operands);
        return append(op, Operands<KvAppendOp>(named, op), *cache);
      })
      .Case([&](ComputeOpInterface op) { return runCompute(op); })
      .Case([&](memref::AllocOp op) {
        return bind(op,
                    View(closedShape(op.getType(), sizes(op.getDynamicSizes())),
                         op.getType().getElementType()));
      })
      .Case([&](memref::ViewOp op) {
        return bind(op, viewOf(op, views.at(op.getSource()),
                               indices.at(op.getByteShift()),
                               sizes(op.getSizes())));
      })
      .Case<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
            memref::ReinterpretCastOp>([&](auto op) {
        return bind(op, aliasOf(op, views.at(op->getOperand(0))));
      })
      .Case([&](memref::CopyOp op) {
        views.at(op.getTarget()).write(views.at(op.getSource()).read());
        return success();
      })
      .Case([&](memref::DeallocOp op) {
        views.at(op.getMemref()).poison();
        return success();
      })
      .Case([&](arith::ConstantIndexOp op) {
        indices[op] = op.value();
        return success();
      })
      .Case<func::ReturnOp>([](auto) { return success(); })
      .Default([](Operation *op) {
        return op->emitError("got ") << op->getName()
                                     << ", expected an op that the reference "
                                        "interpreter knows";
      });
}

FailureOr<std::vector<Array>> tandem::interpret(func::FuncOp function,
                                                ArrayRef<Array> inputs,
                                                KvCacheState *cache,
                                                WeightLookup weights,
                                                OpObserver observer) {
  Execution execution(function, cache, weights, observer);
  if (failed(execution.bindArguments(inputs)))
    return failure();
  for (Operation &op : function.front())
    if (failed(execution.run(&op)))
      return failure();
  return execution.results();
}
