#include "backend/kernels/LinearShape.h"

#include "backend/kernels/Activation.h"
#include "backend/kernels/PanelProduct.h"
#include "backend/kernels/Rowwise.h"
#include "backend/kernels/SpecReader.h"

namespace tandem {

const std::byte *LinearShape::panel(const KernelOperands &operands,
                                    int64_t index) const {
  return in<std::byte>(operands, 1) +
         index * panelSizeInBytes(depth, weightType);
}

void finishLinear(const LinearShape &shape, const KernelOperands &operands,
                  const LinearTile &tile) {
  Epilogue epilogue{.activation = shape.activation};
  auto [rows, columns] = std::pair(tile.rows, tile.columns);
  int64_t place = rows.begin * shape.columns + columns.begin;
  if (isQuantized(shape.weightType)) {
    auto *weight = in<std::byte>(operands, 1);
    int64_t xScales = shape.rows * shape.xStride;
    int64_t scales =
        scalesOffset(shape.weightShape(), shape.weightType, shape.layout);
    epilogue.rowScales =
        reinterpret_cast<const float *>(in<std::byte>(operands, 0) + xScales) +
        rows.begin;
    epilogue.columnScales =
        reinterpret_cast<const float *>(weight + scales) + columns.begin;
  }
  if (shape.hasBias)
    epilogue.bias = in(operands, 2) + columns.begin;
  if (shape.hasResidual)
    epilogue.residual = in(operands, 2 + shape.hasBias) + place;
  finishTile(epilogue, tile.products,
             {rows.size(), columns.size(), tile.stride},
             out(operands, 0) + place, shape.columns);
}

/// What x and the weight may be together.
static void expectTypes(SpecReader &reader, const LinearShape &shape) {
  ElementType x =
      isQuantized(shape.weightType) ? ElementType::QInt8 : shape.weightType;
  if (shape.xType != x)
    reader.fail("operand 'x': got {}, expected {} for a weight of {}",
                name(shape.xType), name(x), name(shape.weightType));
  if (shape.weightType != ElementType::F32 && !shape.inPanels())
    reader.fail("operand 'weight': got plain {}, expected panels",
                name(shape.weightType));
  if (isQuantized(x) && shape.depth > maxQuantizedDepth)
    reader.fail("operand 'x': got depth {}, expected at most {} for {}",
                shape.depth, maxQuantizedDepth, name(x));
}

LinearShape readLinear(SpecReader &reader) {
  const Value &x = reader.view(
      0, "x", 2, {ElementType::F32, ElementType::BF16, ElementType::QInt8});
  const Value &weight = reader.weight(1, "weight", 2,
                                      {ElementType::F32, ElementType::BF16,
                                       ElementType::QInt8, ElementType::QInt4});
  const Value &result = reader.output(0, "out", 2);
  LinearShape shape{.xType = x.type,
                    .weightType = weight.type,
                    .layout = weight.layout,
                    .transposed = reader.integer("transpose_rhs", 0) != 0,
                    .hasBias = reader.integer("has_bias") != 0,
                    .hasResidual = reader.integer("has_residual") != 0};
  std::string activation = reader.text("activation");
  shape.activation = parseActivation(activation);
  if (!shape.activation && activation != "none")
    reader.fail("attribute 'activation': got '{}', expected none, gelu_tanh, "
                "gelu_erf, relu, silu or tanh",
                activation);
  if (!reader.ok())
    return shape;
  shape.rows = x.shape[0];
  shape.depth = x.shape[1];
  shape.columns = result.shape[1];
  shape.xStride = rowStride(x);
  reader.expectShape("out", result, {shape.rows, shape.columns});
  reader.expectShape("weight", weight, shape.weightShape());
  if (weight.layout ==
      (shape.transposed ? Layout::ColumnPanels : Layout::RowPanels))
    reader.fail("operand 'weight': got panels of the other dimension");
  expectTypes(reader, shape);
  return shape;
}

} // namespace tandem
