#pragma once

#include "backend/Executable.h"
#include "ir/Tandem.h"

namespace tandem {

/// The shape of a tensor or memref, `?` as dynamicDim.
std::vector<int64_t> plainShape(mlir::Type type);

/// A dense tensor or memref of f32 or i32, at the segment's start.
Value plainValue(mlir::Type type, Segment segment);

/// The KV cache, of any number of blocks.
Value plainCache(KvCacheType type);

/// The attributes that steer a kernel: what an op leaves out has its default
/// where the kernel needs one. A linear also says which operands it has.
Attributes plainAttributes(mlir::Operation &op);

} // namespace tandem
