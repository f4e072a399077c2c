#pragma once

#include "ir/Tandem.h"
#include "support/Layout.h"

namespace tandem {

/// The element type as what knows no MLIR says it; absent for one that no array
/// of a program has.
std::optional<ElementType> elementTypeOf(mlir::Type type);

/// MLIR's type for it.
mlir::Type elementTypeIn(mlir::MLIRContext *context, ElementType type);

/// Bytes of a tensor or memref of static shape that is no packed weight, with
/// its padding and scales; of bytes, their number.
int64_t arraySizeInBytes(mlir::ShapedType type);

/// Bytes that a parameter takes in its layout.
int64_t packedSizeInBytes(ParameterOp parameter);

} // namespace tandem
