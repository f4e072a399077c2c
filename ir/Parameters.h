#pragma once

#include "ir/Tandem.h"
#include "support/Layout.h"

namespace tandem {

/// How a parameter's elements lie, as what knows no MLIR says it.
Layout layoutOf(ParameterOp parameter);

/// The names of the parameters whose values a function reads. The parts of one
/// of these are not among them unless they are read on their own.
llvm::DenseSet<mlir::StringAttr> parametersRead(mlir::ModuleOp module);

} // namespace tandem
