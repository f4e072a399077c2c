#pragma once

#include "backend/Executable.h"
#include "ir/Tandem.h"

namespace tandem {

/// Where each parameter lies in the constant segment.
using ConstantPlaces = llvm::StringMap<Constant>;

/// One function as a flat list of steps: planned, if its values are memrefs
/// with places; eager, if they are tensors. Fails, with an error on the op, for
/// what no step can express.
mlir::FailureOr<Program> lowerProgram(mlir::func::FuncOp function,
                                      const ConstantPlaces &constants);

} // namespace tandem
