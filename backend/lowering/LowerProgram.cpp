#include "backend/lowering/LowerProgram.h"

#include "backend/lowering/PlainValue.h"
#include "ir/Buffers.h"
#include "ir/OpName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tandem;

namespace {

class Lowering {
public:
  Lowering(func::FuncOp function, const ConstantPlaces &constants)
      : function(function), constants(constants) {}

  FailureOr<Program> run() {
    ProgramAttr attribute = getProgram(function);
    if (!attribute)
      return function.emitOpError("attribute '")
             << programAttrName << "': got none, expected one";
    program.name = function.getName().str();
    program.kind = kindOf(attribute.getPhase());
    if (failed(lowerArguments()))
      return failure();
    for (Operation &op : function.front())
      if (failed(lower(op)))
        return failure();
    return std::move(program);
  }

private:
  static ProgramKind kindOf(Phase phase) {
    switch (phase) {
    case Phase::Model:
    case Phase::Forward:
      return ProgramKind::Forward;
    case Phase::Prefill:
      return ProgramKind::Prefill;
    case Phase::Decode:
      return ProgramKind::Decode;
    case Phase::Head:
      return ProgramKind::Head;
    }
    llvm_unreachable("every phase has a kind");
  }

  int32_t add(mlir::Value value, tandem::Value described) {
    int32_t index = program.values.size();
    program.values.push_back(std::move(described));
    indices[value] = index;
    return index;
  }

  LogicalResult lowerArguments() {
    for (BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        argumentNameAttrName);
      if (!name)
        return function.emitOpError("argument ")
               << argument.getArgNumber() << ": got no '"
               << argumentNameAttrName << "', expected one";
      if (auto cache = dyn_cast<KvCacheType>(argument.getType())) {
        add(argument, plainCache(cache));
        continue;
      }
      auto type = dyn_cast<ShapedType>(argument.getType());
      if (!type || !type.hasRank() || type.getRank() == 0)
        return function.emitOpError("argument ")
               << argument.getArgNumber() << ": got " << argument.getType()
               << ", expected the cache, or rows";
      if (isByteBuffer(type)) { // the arena
        arena = argument;
        program.planned = true;
        program.transientBytes = type.getNumElements();
        continue;
      }
      int32_t index = add(argument, plainValue(type, Segment::External));
      bool isOutput = isa<MemRefType>(type) && isWritten(argument);
      (isOutput ? program.outputs : program.inputs)[name.str()] = index;
      if (!isOutput && program.rows == 0)
        program.rows = program.values[index].shape[0];
    }
    return success();
  }

  LogicalResult lower(Operation &op) {
    return TypeSwitch<Operation *, LogicalResult>(&op)
        .Case([&](WeightOp op) { return lowerWeight(op); })
        .Case([&](arith::ConstantIndexOp) { return success(); })
        .Case([&](memref::ViewOp op) { return lowerView(op); })
        .Case([&](memref::SubViewOp op) { return lowerSubView(op); })
        .Case([&](memref::CopyOp op) { return lowerCopy(op); })
        .Case([&](func::ReturnOp op) { return lowerReturn(op); })
        .Case<ComputeOpInterface>([&](auto) { return lowerStep(op); })
        .Case([&](KvAppendOp) { return lowerStep(op); })
        .Default([](Operation *op) {
          return op->emitOpError("lowering: got an op that no kernel runs");
        });
  }

  LogicalResult lowerWeight(WeightOp op) {
    auto found = constants.find(op.getParameter());
    if (found == constants.end())
      return op.emitOpError("parameter: got one without a place in memory");
    tandem::Value value =
        plainValue(op.getResult().getType(), Segment::Constant);
    value.offset = found->second.offset;
    value.layout = found->second.layout;
    add(op.getResult(), value);
    return success();
  }

  LogicalResult lowerView(memref::ViewOp op) {
    auto offset = op.getByteShift().getDefiningOp<arith::ConstantIndexOp>();
    if (!offset)
      return op.emitOpError("offset: got a value, expected a constant");
    if (op.getSource() != arena)
      return op.emitOpError("source: got ")
             << op.getSource().getType() << ", expected the arena";
    tandem::Value value = plainValue(op.getType(), Segment::Transient);
    value.offset = offset.value();
    add(op.getResult(), value);
    return success();
  }

  LogicalResult lowerSubView(memref::SubViewOp op) {
    // Strides of the result are absolute; its offset counts from the base.
    auto [strides, offset] = getStridesAndOffset(op.getType());
    mlir::Value base = op.getSource();
    if (base.getDefiningOp<memref::SubViewOp>())
      return op.emitOpError("view: got a view of a view, expected one level");
    if (strides.empty() || strides.back() != 1 || op.getType().getRank() > 2 ||
        ShapedType::isDynamicShape(strides) || ShapedType::isDynamic(offset))
      return op.emitOpError("view: got ")
             << op.getType() << ", expected rows whose elements are adjacent";
    if (!isa_and_nonnull<memref::ViewOp, WeightOp>(base.getDefiningOp()))
      return op.emitOpError("view: got one of ")
             << base.getType()
             << ", expected one of a place in the arena, or of a weight";
    tandem::Value value = program.values[indices.at(base)];
    value.shape = plainShape(op.getType());
    value.offset += offset * sizeInBytes(value.type);
    value.rowStride = strides.size() < 2 ? value.shape.back() : strides[0];
    add(op.getResult(), value);
    return success();
  }

  /// Every value that a step reads or writes is one of the program's.
  LogicalResult checkOperands(Operation &op) {
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      if (!indices.contains(operand))
        return op.emitOpError("operand #") << i << ": got " << operand.getType()
                                           << ", expected a value with a place";
    if (program.planned && llvm::any_of(op.getResultTypes(), [](Type type) {
          return isa<TensorType>(type);
        }))
      return op.emitOpError("result: got a tensor in a planned program, "
                            "expected destinations");
    return success();
  }

  LogicalResult lowerCopy(memref::CopyOp op) {
    if (failed(checkOperands(*op)))
      return failure();
    Step step;
    step.kernel = "reshape"; // the same elements, in memory of their own
    step.inputs = {indices.at(op.getSource())};
    step.outputs = {indices.at(op.getTarget())};
    program.steps.push_back(step);
    return success();
  }

  LogicalResult lowerReturn(func::ReturnOp op) {
    if (failed(checkOperands(*op)))
      return failure();
    for (OpOperand &operand : op->getOpOperands()) {
      if (isa<KvCacheType>(operand.get().getType()))
        continue;
      auto name = function.getResultAttrOfType<StringAttr>(
          operand.getOperandNumber(), argumentNameAttrName);
      if (!name)
        return op.emitOpError("result ")
               << operand.getOperandNumber() << ": got no '"
               << argumentNameAttrName << "', expected one";
      program.outputs[name.str()] = indices.at(operand.get());
    }
    return success();
  }

  LogicalResult lowerStep(Operation &op) {
    if (failed(checkOperands(op)))
      return failure();
    Step step;
    step.kernel = shortName(&op).str();
    step.where = originOf(&op).str();
    step.attributes = plainAttributes(op);
    mlir::ValueRange destinations;
    if (auto compute = dyn_cast<ComputeOpInterface>(op))
      destinations = compute.getDestinations();
    for (mlir::Value operand :
         op.getOperands().drop_back(destinations.size())) {
      if (isByteBuffer(operand.getType()))
        step.scratch = indices.at(operand);
      else
        step.inputs.push_back(indices.at(operand));
    }
    for (mlir::Value destination : destinations)
      step.outputs.push_back(indices.at(destination));
    for (mlir::Value result : op.getResults()) {
      if (isa<KvCacheType>(result.getType()))
        indices[result] = indices.at(op.getOperand(0));
      else
        add(result, plainValue(result.getType(), Segment::Transient));
      step.outputs.push_back(indices.at(result));
    }
    if (isa<KvAppendOp>(op) && step.outputs.empty())
      step.outputs = {indices.at(op.getOperand(0))};
    program.steps.push_back(std::move(step));
    return success();
  }

  func::FuncOp function;
  const ConstantPlaces &constants;
  mlir::Value arena;
  llvm::DenseMap<mlir::Value, int32_t> indices;
  Program program;
};

} // namespace

FailureOr<Program> tandem::lowerProgram(func::FuncOp function,
                                        const ConstantPlaces &constants) {
  return Lowering(function, constants).run();
}
