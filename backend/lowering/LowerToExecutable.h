#pragma once

#include "backend/Executable.h"
#include "support/Result.h"

#include "mlir/IR/BuiltinOps.h"

namespace tandem {

/// Every program of a module, at stage `planned` (compiled) or `specialized`
/// (eager), the places of its constants, what it says of the model, and how
/// many threads it was planned for. The model's name is left to the caller, and
/// numThreads is 1 where there is no plan. The first diagnostic becomes the
/// error.
Result<Executable> lowerToExecutable(mlir::ModuleOp module);

} // namespace tandem
