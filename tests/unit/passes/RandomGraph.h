#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tandem {

/// A model that nobody designed, of testVocabulary tokens and testPositions
/// positions: one to three layers of attention and MLP in random sizes and
/// arrangements. Its projections are merged or apart, plain or transposed, with
/// or without bias; layers stand before or behind a norm, on the residual or
/// beside each other; activations, gates and scales stand where chance has it.
/// Equal seeds give equal graphs.
mlir::OwningOpRef<mlir::ModuleOp> randomGraph(mlir::MLIRContext &context,
                                              uint32_t seed);

} // namespace tandem
