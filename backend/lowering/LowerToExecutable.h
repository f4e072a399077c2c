#pragma once

#include "backend/Executable.h"
#include "support/Result.h"

#include "mlir/IR/BuiltinOps.h"

namespace tandem {

/// Every program of a module, at stage `planned` (compiled) or `specialized`
/// (eager), and the places of its constants. ModelSummary and numThreads are
/// left to the caller. The first diagnostic becomes the error.
Result<Executable> lowerToExecutable(mlir::ModuleOp module);

} // namespace tandem
