#pragma once

#include "passes/BufferPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tandem {

/// An arena, as a planned function has it.
struct ArenaUse {
  int64_t sizeInBytes = 0;
  /// What the same ops need in the same order, with the same work in place.
  int64_t lowerBound = 0;
};

/// Reads the plan back from the views of the argument `arena`. Absent for a
/// function that has none.
std::optional<ArenaUse> readPlan(mlir::func::FuncOp function);

} // namespace tandem
