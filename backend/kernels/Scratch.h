#pragma once

#include "support/Layout.h"

#include <cstdint>

/// How much scratch the kernels take, for the plan: `...BytesPerThread` times
/// the number of threads, the whole aligned to 64 bytes. Thread t uses the
/// bytes from t * (that many) on. Kernels that are not named here take none.
namespace tandem {

/// A linear takes up to this many rows straight from panels to the output.
inline constexpr int64_t maxPanelRows = 8;

constexpr bool linearTakesScratch(int64_t rows, bool inPanels) {
  return !inPanels || rows > maxPanelRows;
}

/// With more rows its product goes through tiles of this many columns; with a
/// weight of qint4, through one panel at a time.
constexpr int64_t linearTileColumns(ElementType weight) {
  return weight == ElementType::QInt4 ? panelColumns : 4 * panelColumns;
}

/// What one oneDNN primitive may ask for; checked when it is created.
inline constexpr int64_t primitiveScratchBytes = int64_t{64} << 10;

/// linear, where linearTakesScratch(): the primitive's own, then for a weight
/// of qint4 one panel as qint8, then one tile of products, four bytes each.
constexpr int64_t linearScratchBytesPerThread(int64_t rows, int64_t depth,
                                              ElementType weight) {
  int64_t panel = weight == ElementType::QInt4
                      ? roundUp(depth, depthBlock(weight)) * panelColumns
                      : 0;
  return primitiveScratchBytes + panel + rows * linearTileColumns(weight) * 4;
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
