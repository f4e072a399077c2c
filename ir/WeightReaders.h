#pragma once

#include "ir/Tandem.h"

namespace tandem {

/// Whether the op that has a weight as this operand can read it in `layout`:
/// panels are for a linear, along its columns, and row panels for embeddings
/// too, which take single elements.
bool canRead(mlir::OpOperand &weight, WeightLayout layout);

} // namespace tandem
