#pragma once

#include "backend/Executable.h"

#include "mlir/IR/BuiltinOps.h"

namespace tandem {

/// What a module's programs say about the model, at any stage behind
/// `imported`: all of a ModelSummary but its name. What they do not say is 0,
/// as is the vocabulary where no program makes logits.
ModelSummary summarize(mlir::ModuleOp module);

} // namespace tandem
