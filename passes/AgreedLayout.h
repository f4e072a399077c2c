#pragma once

#include "ir/WeightReaders.h"

#include "llvm/ADT/StringMap.h"

namespace tandem {

/// The reads of every parameter's value in all programs, by its name.
llvm::StringMap<llvm::SmallVector<mlir::OpOperand *>>
weightReaders(mlir::ModuleOp module);

/// The panels that a linear among the readers would have and all others can
/// read; plain where there are none such.
WeightLayout agreedLayout(llvm::ArrayRef<mlir::OpOperand *> readers);

} // namespace tandem
