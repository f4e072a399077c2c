// The shape rules of the compute ops but for attention and the cache.

#include "ir/ShapeChecks.h"

using namespace mlir;
using namespace tandem;

namespace {

FailureOr<Shapes> binary(std::optional<Location> location, StringRef op,
                         Value lhs, Value rhs) {
  SmallVector<int64_t> left = shapeOf(lhs), right = shapeOf(rhs);
  auto suffix = ArrayRef(left).take_back(std::min(left.size(), right.size()));
  if (failed(expectShape(location, op, "rhs", rhs, suffix)))
    return failure();
  return one(left);
}

LogicalResult layerNormOperands(std::optional<Location> location, StringRef op,
                                Value x, Value scale, Value bias) {
  if (failed(expectRank(location, op, "x", x, 2)))
    return failure();
  int64_t width = shapeOf(x)[1];
  return success(succeeded(expectShape(location, op, "scale", scale, width)) &&
                 succeeded(expectShape(location, op, "bias", bias, width)));
}

/// Whether rows of `x` are multiplied with columns of `weight` as they are.
bool multiply(Value x, Value weight) {
  Type left = getElementTypeOrSelf(x), right = getElementTypeOrSelf(weight);
  return left == right || (isa<QInt8Type>(left) && isa<QInt4Type>(right));
}

} // namespace

FailureOr<Shapes> EmbeddingOp::inferShapes(std::optional<Location> location,
                                           Adaptor a) {
  if (failed(expectRank(location, "embedding", "table", a.getTable(), 2)) ||
      failed(expectRank(location, "embedding", "ids", a.getIds(), 1)))
    return failure();
  return one({shapeOf(a.getIds())[0], shapeOf(a.getTable())[1]});
}

FailureOr<Shapes> AddEmbeddingOp::inferShapes(std::optional<Location> location,
                                              Adaptor a) {
  constexpr StringLiteral op = "add_embedding";
  if (failed(expectRank(location, op, "lhs_table", a.getLhsTable(), 2)) ||
      failed(expectRank(location, op, "lhs_ids", a.getLhsIds(), 1)) ||
      failed(expectRank(location, op, "rhs_table", a.getRhsTable(), 2)))
    return failure();
  int64_t rows = shapeOf(a.getLhsIds())[0];
  int64_t width = shapeOf(a.getLhsTable())[1];
  int64_t table[] = {shapeOf(a.getRhsTable())[0], width};
  if (failed(expectShape(location, op, "rhs_table", a.getRhsTable(), table)) ||
      failed(expectShape(location, op, "rhs_ids", a.getRhsIds(), rows)))
    return failure();
  return one({rows, width});
}

FailureOr<Shapes> LayerNormOp::inferShapes(std::optional<Location> location,
                                           Adaptor a) {
  if (failed(layerNormOperands(location, "layer_norm", a.getX(), a.getScale(),
                               a.getBias())))
    return failure();
  return one(shapeOf(a.getX()));
}

FailureOr<Shapes> AddLayerNormOp::inferShapes(std::optional<Location> location,
                                              Adaptor a) {
  SmallVector<int64_t> shape = shapeOf(a.getLhs());
  if (failed(layerNormOperands(location, "add_layer_norm", a.getLhs(),
                               a.getScale(), a.getBias())) ||
      failed(expectShape(location, "add_layer_norm", "rhs", a.getRhs(), shape)))
    return failure();
  return Shapes{shape, shape};
}

FailureOr<Shapes> MatmulOp::inferShapes(std::optional<Location> location,
                                        Adaptor a) {
  SmallVector<int64_t> lhs = shapeOf(a.getLhs()), rhs = shapeOf(a.getRhs());
  if (lhs.size() < 2)
    return mismatch(location, "matmul", "lhs", a.getLhs(), "rank 2 or more");
  if (rhs.size() != 2 && rhs.size() != lhs.size())
    return mismatch(location, "matmul", "rhs", a.getRhs(), "rank 2 or ",
                    lhs.size());
  size_t batch = rhs.size() - 2;
  SmallVector<int64_t> expected{ArrayRef(lhs).take_front(batch)};
  int64_t columns = a.getTransposeRhs() ? rhs[batch] : rhs[batch + 1];
  expected.append(a.getTransposeRhs()
                      ? std::initializer_list<int64_t>{columns, lhs.back()}
                      : std::initializer_list<int64_t>{lhs.back(), columns});
  if (failed(expectShape(location, "matmul", "rhs", a.getRhs(), expected)))
    return failure();
  lhs.back() = columns;
  return one(lhs);
}

FailureOr<Shapes> LinearOp::inferShapes(std::optional<Location> location,
                                        Adaptor a) {
  if (failed(expectRank(location, "linear", "x", a.getX(), 2)) ||
      failed(expectRank(location, "linear", "weight", a.getWeight(), 2)))
    return failure();
  if (!multiply(a.getX(), a.getWeight()))
    return mismatch(location, "linear", "x", a.getX(),
                    "elements that multiply those of ",
                    a.getWeight().getType());
  SmallVector<int64_t> x = shapeOf(a.getX()), weight = shapeOf(a.getWeight());
  int64_t columns = weight[a.getTransposeRhs() ? 0 : 1];
  SmallVector<int64_t> expected = {x[1], columns}, out = {x[0], columns};
  if (a.getTransposeRhs())
    std::swap(expected[0], expected[1]);
  if (failed(
          expectShape(location, "linear", "weight", a.getWeight(), expected)))
    return failure();
  if (a.getBias() &&
      failed(expectShape(location, "linear", "bias", a.getBias(), columns)))
    return failure();
  if (a.getResidual() &&
      failed(expectShape(location, "linear", "residual", a.getResidual(), out)))
    return failure();
  return one(out);
}

FailureOr<Shapes> CastOp::inferShapes(std::optional<Location> location,
                                      Adaptor a) {
  if (failed(expectRank(location, "cast", "x", a.getX(), 2)))
    return failure();
  if (!a.getTo().isBF16() && !isa<QInt8Type>(a.getTo()))
    return emitOptionalError(location, "'tandem.cast' op to: got ", a.getTo(),
                             ", expected bf16 or !tandem.qint8");
  return one(shapeOf(a.getX()));
}

FailureOr<Shapes> AddOp::inferShapes(std::optional<Location> location,
                                     Adaptor a) {
  return binary(location, "add", a.getLhs(), a.getRhs());
}

FailureOr<Shapes> MulOp::inferShapes(std::optional<Location> location,
                                     Adaptor a) {
  return binary(location, "mul", a.getLhs(), a.getRhs());
}

FailureOr<Shapes> ScaleOp::inferShapes(std::optional<Location>, Adaptor a) {
  return one(shapeOf(a.getX()));
}

FailureOr<Shapes> ActivationOp::inferShapes(std::optional<Location>,
                                            Adaptor a) {
  return one(shapeOf(a.getX()));
}

FailureOr<Shapes> SoftmaxOp::inferShapes(std::optional<Location> location,
                                         Adaptor a) {
  if (shapeOf(a.getX()).empty())
    return mismatch(location, "softmax", "x", a.getX(), "rank 1 or more");
  return one(shapeOf(a.getX()));
}

FailureOr<Shapes> CausalMaskOp::inferShapes(std::optional<Location> location,
                                            Adaptor a) {
  SmallVector<int64_t> shape = shapeOf(a.getScores());
  if (shape.size() < 2)
    return mismatch(location, "causal_mask", "scores", a.getScores(),
                    "rank 2 or more");
  if (failed(expectRank(location, "causal_mask", "positions", a.getPositions(),
                        1)))
    return failure();
  // The rows are the trailing leading dimensions whose product is the
  // number of positions.
  int64_t numPositions = shapeOf(a.getPositions())[0], rows = 1;
  for (int64_t dim : llvm::reverse(ArrayRef(shape).drop_back())) {
    if (rows == numPositions && dim != 1)
      break;
    rows = ShapedType::isDynamic(dim) || ShapedType::isDynamic(rows)
               ? ShapedType::kDynamic
               : rows * dim;
    if (rows == numPositions)
      return one(shape);
  }
  return mismatch(location, "causal_mask", "positions", a.getPositions(),
                  "one a row of ", a.getScores().getType());
}

FailureOr<Shapes> ReshapeOp::inferShapes(std::optional<Location> location,
                                         Adaptor a) {
  SmallVector<int64_t> from = shapeOf(a.getX()), to(a.getShape());
  auto isOpen = [](int64_t dim) { return dim == -1; };
  if (llvm::count_if(to, isOpen) > 1 ||
      llvm::any_of(to, [](int64_t dim) { return dim < -1 || dim == 0; }))
    return emitOptionalError(location, "'tandem.reshape' op shape: got [",
                             ArrayRef(to),
                             "], expected positive sizes and at most one -1");
  int64_t fromSize = 1, toSize = 1;
  bool isDynamic = false;
  for (int64_t dim : from) {
    isDynamic |= ShapedType::isDynamic(dim);
    fromSize *= ShapedType::isDynamic(dim) ? 1 : dim;
  }
  for (int64_t dim : to)
    toSize *= isOpen(dim) ? 1 : dim;
  auto open = llvm::find_if(to, isOpen);
  bool fits = open == to.end()
                  ? !isDynamic && fromSize == toSize
                  : (isDynamic ? fromSize == toSize : fromSize % toSize == 0);
  if (!fits)
    return mismatch(location, "reshape", "x", a.getX(),
                    "as many elements as shape [", ArrayRef(to), "]");
  if (open != to.end())
    *open = isDynamic ? ShapedType::kDynamic : fromSize / toSize;
  return one(to);
}

FailureOr<Shapes> TransposeOp::inferShapes(std::optional<Location> location,
                                           Adaptor a) {
  SmallVector<int64_t> shape = shapeOf(a.getX()), result;
  SmallVector<int64_t> sorted(a.getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, shape.size())))
    return emitOptionalError(location,
                             "'tandem.transpose' op permutation: got [",
                             a.getPermutation(), "], expected each of 0 to ",
                             shape.size() - 1, " once");
  for (int64_t dim : a.getPermutation())
    result.push_back(shape[dim]);
  return one(result);
}

FailureOr<Shapes> SliceOp::inferShapes(std::optional<Location> location,
                                       Adaptor a) {
  SmallVector<int64_t> shape = shapeOf(a.getX());
  int64_t dim = a.getDim(), offset = a.getOffset(), size = a.getSize();
  if (dim < 0 || dim >= static_cast<int64_t>(shape.size()))
    return emitOptionalError(location, "'tandem.slice' op dim: got ", dim,
                             ", expected a dimension of ", a.getX().getType());
  if (ShapedType::isDynamic(shape[dim]) || offset < 0 || size < 1 ||
      offset > shape[dim] - size)
    return emitOptionalError(location, "'tandem.slice' op range: got ", offset,
                             " to ", offset + size,
                             ", expected within dimension ", dim, " of ",
                             a.getX().getType());
  shape[dim] = size;
  return one(shape);
}
