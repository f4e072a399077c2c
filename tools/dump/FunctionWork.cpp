#include "tools/dump/FunctionWork.h"

namespace tandem {

FunctionWork workOf(mlir::func::FuncOp function) {
  FunctionWork result;
  function.walk([&](mlir::Operation *op) {
    if (!doesWork(op))
      return;
    ++result.numOps;
    if (std::optional<Work> work = workOf(op))
      result.total += *work;
    else
      ++result.numUnknown;
  });
  return result;
}

} // namespace tandem
