#pragma once

#include "ir/Tandem.h"

namespace tandem {

/// The passes after which something is illegal that was not before, in the
/// pipeline's order.
llvm::SmallVector<llvm::StringRef> passesWithLegality();

/// Checks a module for what the pass of that name should have left none of. The
/// error goes to the op at fault and names the pass. `pass` is one of
/// passesWithLegality().
mlir::LogicalResult checkLegalAfter(llvm::StringRef pass,
                                    mlir::ModuleOp module);

} // namespace tandem
