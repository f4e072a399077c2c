#pragma once

#include <cstdint>

namespace tandem {

/// The keys and values of one head, in blocks of attentionBlockKeys positions.
/// All strides are in elements.
struct KeyValueBlocks {
  const float *keys = nullptr, *values = nullptr; // of block 0 of the table
  int64_t keyStride = 0, valueStride = 0;         // from position to position
  int64_t keyBlockStride = 0, valueBlockStride = 0;
  const int32_t *table = nullptr; // block of each 32 positions; none: identity

  const float *keyBlock(int64_t block) const {
    return keys + (table ? table[block] : block) * keyBlockStride;
  }
  const float *valueBlock(int64_t block) const {
    return values + (table ? table[block] : block) * valueBlockStride;
  }
};

/// Up to attentionTileRows rows of one head that share their keys.
struct AttentionRows {
  const float *queries = nullptr;     // [rows, headSize], `queryStride` apart
  const int32_t *positions = nullptr; // [rows], each 0 or more
  float *out = nullptr;               // [rows, headSize], `outStride` apart
  int64_t rows = 0, headSize = 0, queryStride = 0, outStride = 0;
  int64_t numKeys = 0; // no row sees more than this many
  float scale = 1;
};

/// out = softmax(scale queries keys^T) values, row i seeing the keys at
/// positions 0 to positions[i]. One pass over the blocks with a running largest
/// score; every block is read once for all rows. `scratch`: aligned to 64,
/// attentionScratchBytesPerThread(headSize). Takes the faster of the two below.
void attend(const AttentionRows &rows, const KeyValueBlocks &blocks,
            float *scratch);

/// attend() for any rows and head size.
void attendTile(const AttentionRows &rows, const KeyValueBlocks &blocks,
                float *scratch);

/// attend() for few rows of a head size that is a multiple of 16.
inline constexpr int64_t maxSingleRows = 8;
void attendRows(const AttentionRows &rows, const KeyValueBlocks &blocks,
                float *scratch);

} // namespace tandem
