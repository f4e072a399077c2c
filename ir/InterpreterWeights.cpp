// The values of weights: the store's, or those of a parameter's parts.

#include "ir/InterpreterOps.h"

using namespace mlir;
using namespace tandem;

static FailureOr<Array> lookUp(WeightOp op, ParameterOp parameter,
                               WeightLookup weights) {
  auto type = cast<ShapedType>(parameter.getType());
  FailureOr<Array> value = weights(parameter.getSymName());
  if (failed(value))
    return op.emitOpError("parameter: got no value for '")
           << parameter.getSymName() << "', expected " << type;
  if (ArrayRef(value->shape) != type.getShape())
    return op.emitOpError("parameter: got '")
           << parameter.getSymName() << "' of shape [" << ArrayRef(value->shape)
           << "], expected " << type;
  return value;
}

/// Arrays one after another along dimension `dim`, in an array of `shape`.
static Array concatenate(ArrayRef<Array> arrays, int64_t dim,
                         ArrayRef<int64_t> shape) {
  Array out = Array::zeros(shape);
  int64_t inner = 1, whole = shape[dim], placed = 0;
  for (int64_t size : shape.drop_front(dim + 1))
    inner *= size;
  for (const Array &array : arrays) {
    int64_t size = array.dim(dim);
    for (auto [i, element] : llvm::enumerate(array.elements)) {
      int64_t outer = i / inner / size, index = i / inner % size + placed;
      out.elements[(outer * whole + index) * inner + i % inner] = element;
    }
    placed += size;
  }
  return out;
}

static ParameterOp find(WeightOp op, StringAttr name) {
  return SymbolTable::lookupNearestSymbolFrom<ParameterOp>(op, name);
}

/// As the store has it.
static FailureOr<Array> storedValueOf(WeightOp op, ParameterOp parameter,
                                      WeightLookup weights) {
  SmallVector<FlatSymbolRefAttr> parts = parameter.getPartRefs();
  if (parts.empty())
    return lookUp(op, parameter, weights);
  SmallVector<Array> arrays;
  for (FlatSymbolRefAttr part : parts) {
    FailureOr<Array> array = lookUp(op, find(op, part.getAttr()), weights);
    if (failed(array))
      return failure();
    arrays.push_back(std::move(*array));
  }
  return concatenate(arrays, *parameter.getDim(),
                     cast<ShapedType>(parameter.getType()).getShape());
}

FailureOr<Array> tandem::valueOf(WeightOp op, WeightLookup weights) {
  ParameterOp parameter = find(op, op.getParameterAttr().getAttr());
  FailureOr<Array> value = storedValueOf(op, parameter, weights);
  if (failed(value))
    return failure();
  Type type = cast<ShapedType>(parameter.getType()).getElementType();
  int64_t channelDim = parameter.getLayout() == WeightLayout::RowPanels ? 0 : 1;
  return type.isF32() ? std::move(value)
                      : narrowed(std::move(*value), type, channelDim);
}
