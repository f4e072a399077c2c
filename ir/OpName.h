#pragma once

#include "ir/Tandem.h"

namespace tandem {

/// The mnemonic of an op of this dialect, `linear`; of another the whole name,
/// `memref.view`.
llvm::StringRef shortName(mlir::Operation *op);

/// The part of the model that an op comes from, `h.0.attn.c_proj`: the name of
/// its location; empty where that has none.
llvm::StringRef originOf(mlir::Operation *op);

/// The attributes of an op that somebody stated: all but the numbers of
/// operands that MLIR keeps among them.
llvm::SmallVector<mlir::NamedAttribute> statedAttributes(mlir::Operation *op);

} // namespace tandem
