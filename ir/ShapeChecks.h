#pragma once

#include "ir/Tandem.h"

namespace tandem {

/// What the shape rules check with: an error names op, operand, what it is, and
/// what was expected. Nothing is reported without a location. `?` agrees with
/// any size.

/// Reports that `got` is not what follows; always fails.
template <typename... Args>
mlir::LogicalResult mismatch(std::optional<mlir::Location> location,
                             llvm::StringRef op, llvm::StringRef operand,
                             mlir::Value got, Args &&...expected) {
  return mlir::emitOptionalError(
      location, "'tandem.", op, "' op operand '", operand, "': got ",
      got.getType(), ", expected ", std::forward<Args>(expected)...);
}

mlir::LogicalResult expectShape(std::optional<mlir::Location> location,
                                llvm::StringRef op, llvm::StringRef operand,
                                mlir::Value value,
                                llvm::ArrayRef<int64_t> expected);

mlir::LogicalResult expectRank(std::optional<mlir::Location> location,
                               llvm::StringRef op, llvm::StringRef operand,
                               mlir::Value value, size_t rank);

llvm::SmallVector<int64_t> shapeOf(mlir::Value value);

/// The shapes of an op with one result.
Shapes one(llvm::ArrayRef<int64_t> shape);

} // namespace tandem
