#pragma once

#include "support/Layout.h"

#include <algorithm>
#include <cstddef>

/// What the panel products of all element types share: how the rows and the
/// depth of one panel are gone through.
namespace tandem {

/// Four rows fill half of 32 registers with sums.
inline constexpr int64_t rowsAtOnce = 4;

/// With more rows the panel is read once per four rows, in pieces of 4 KiB that
/// stay in the first-level cache meanwhile. (Measured with 8 rows of f32, of
/// the read bandwidth: 16 deep 87 %, 32 deep 82 %, 64 deep 78 %.)
constexpr int64_t depthPiece(ElementType type) {
  return 4096 * 8 / (bitsOf(type) * panelColumns);
}

/// Rows of x, `stride` elements apart.
template <typename Element> struct PanelRows {
  const Element *x = nullptr;
  int64_t stride = 0, rows = 0, depth = 0;

  const Element *row(int64_t index) const { return x + index * stride; }
  /// `count` rows from `row` on, `depth` elements from `k` on.
  PanelRows part(int64_t row, int64_t count, int64_t k, int64_t depth) const {
    return {x + row * stride + k, stride, count, depth};
  }
};

/// Adds the product of 1, 2, 3 or 4 rows and a panel, or a part of its depth,
/// to `out` [rows, 64].
template <typename Rows, typename Sum>
using PanelLeaf = void (*)(const Rows &rows, const std::byte *panel, Sum *out);

/// out [rows, 64] = rows panel; leaves[i] takes i + 1 rows. A row's sums are in
/// the same order whatever the number of rows.
template <typename Rows, typename Sum>
void multiplyByLeaves(const PanelLeaf<Rows, Sum> (&leaves)[rowsAtOnce],
                      ElementType type, const Rows &rows,
                      const std::byte *panel, Sum *out) {
  std::fill_n(out, rows.rows * panelColumns, Sum{0});
  int64_t piece = rows.rows > rowsAtOnce ? depthPiece(type) : rows.depth;
  for (int64_t k = 0; k < rows.depth; k += piece) {
    int64_t depth = std::min(piece, rows.depth - k);
    for (int64_t row = 0; row < rows.rows; row += rowsAtOnce) {
      int64_t count = std::min(rowsAtOnce, rows.rows - row);
      leaves[count - 1](rows.part(row, count, k, depth),
                        panel + panelSizeInBytes(k, type),
                        out + row * panelColumns);
    }
  }
}

} // namespace tandem
