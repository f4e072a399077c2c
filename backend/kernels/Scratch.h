#pragma once

#include <cstdint>

/// How much scratch the kernels take, for the plan: `...BytesPerThread` times
/// the number of threads, the whole aligned to 64 bytes. Thread t uses the
/// bytes from t * (that many) on. Kernels that are not named here take none.
namespace tandem {

/// A linear's product goes through tiles of this many columns.
inline constexpr int64_t linearTileColumns = 256;
/// What one oneDNN primitive may ask for; checked when it is created.
inline constexpr int64_t primitiveScratchBytes = int64_t{64} << 10;

/// linear: one tile of f32 products, then the primitive's own.
constexpr int64_t linearScratchBytesPerThread(int64_t rows) {
  return rows * linearTileColumns * 4 + primitiveScratchBytes;
}

/// Attention takes rows and cached positions in tiles of this many.
inline constexpr int64_t attentionTileRows = 32;
inline constexpr int64_t attentionBlockKeys = 32;

/// attention, cached_attention, in f32: the queries of a tile, its sums of
/// values, a block of values (head size padded to 16), its weights, and three
/// numbers a row.
constexpr int64_t attentionScratchBytesPerThread(int64_t headSize) {
  int64_t padded = (headSize + 15) / 16 * 16;
  return 4 * (attentionTileRows * (2 * padded + attentionBlockKeys + 3) +
              attentionBlockKeys * padded);
}

} // namespace tandem
