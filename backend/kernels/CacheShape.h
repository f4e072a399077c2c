#pragma once

#include "backend/kernels/SpecReader.h"

namespace tandem {

/// The KV cache as kernels see it: f32
/// [blocks, layers, 2 (keys, values), heads, blockSize, headSize].
struct CacheShape {
  int64_t layers = 0, heads = 0, blockSize = 0, headSize = 0;

  /// Elements between the same place of two blocks.
  int64_t blockStride() const {
    return layers * 2 * heads * blockSize * headSize;
  }
  /// From a block's start to [layer, part, head]: part 0 keys, 1 values.
  int64_t offset(int64_t layer, int64_t part, int64_t head) const {
    return ((layer * 2 + part) * heads + head) * blockSize * headSize;
  }
};

/// The cache operands that several kernels share.
struct CacheOperands {
  CacheShape shape;
  int64_t layer = 0;
  int64_t rows = 0;              // of positions and sequences
  int64_t blocksPerSequence = 0; // of the block tables
};

/// Reads operands cache [...] at `cache`, positions i32 [rows] at `positions`,
/// then sequences i32 [rows], block_tables i32 [sequences, blocks] and valid
/// i32 [1], and attribute layer. Check `reader.ok()` before use.
CacheOperands readCache(SpecReader &reader, size_t cache, size_t positions);

} // namespace tandem
