#include "ir/ShapeChecks.h"

using namespace mlir;
using namespace tandem;

SmallVector<int64_t> tandem::shapeOf(Value value) {
  return SmallVector<int64_t>(cast<ShapedType>(value.getType()).getShape());
}

static bool agree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

LogicalResult tandem::expectShape(std::optional<Location> location,
                                  StringRef op, StringRef operand, Value value,
                                  ArrayRef<int64_t> expected) {
  SmallVector<int64_t> shape = shapeOf(value);
  if (shape.size() == expected.size() &&
      llvm::all_of_zip(shape, expected, agree))
    return success();
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(expected))
    text += (i ? ", " : "") +
            (ShapedType::isDynamic(dim) ? "?" : std::to_string(dim));
  return mismatch(location, op, operand, value, "shape ", text, "]");
}

LogicalResult tandem::expectRank(std::optional<Location> location, StringRef op,
                                 StringRef operand, Value value, size_t rank) {
  if (shapeOf(value).size() == rank)
    return success();
  return mismatch(location, op, operand, value, "rank ", rank);
}

Shapes tandem::one(ArrayRef<int64_t> shape) {
  return {SmallVector<int64_t>(shape)};
}
