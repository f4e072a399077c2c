#pragma once

#include "passes/TargetInfo.h"

#include "ir/Tandem.h"

namespace tandem {

/// What ops on tensors will take of a program's memory once they are on
/// buffers: `schedule` counts with it, `bufferize` does it.

/// True for a reader that can step over the rest of a row: the rows that it
/// reads may be further apart than they are long.
bool readsRowsApart(mlir::OpOperand &use, const TargetInfo &target);

/// True for a slice that moves nothing, since all its readers can step over the
/// rest of a row; else it is copied into a buffer of its own.
bool isView(SliceOp slice, const TargetInfo &target);

/// Bytes of scratch that an op needs; 0 for none.
int64_t scratchBytes(mlir::Operation *op, const TargetInfo &target);

/// The first op that reads a state of the cache which a kv_append before it has
/// overwritten, once the cache is updated in place; null where there is none.
mlir::Operation *findStaleCacheRead(mlir::func::FuncOp function);

} // namespace tandem
