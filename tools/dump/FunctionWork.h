#pragma once

#include "ir/Work.h"

namespace tandem {

/// A function's work, op by op, and together.
struct FunctionWork {
  int64_t numOps = 0; // that do work
  Work total;
  /// Ops whose work is not known: what is open in them has no bound.
  int64_t numUnknown = 0;
};

FunctionWork workOf(mlir::func::FuncOp function);

} // namespace tandem
