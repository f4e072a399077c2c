#include "backend/kernels/PanelProduct.h"

#include "backend/Executable.h"
#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/Vectors.h"

#include <algorithm>

namespace tandem {

using namespace vectors;

namespace {

constexpr int64_t panelVectors = panelColumns / lanes;
/// Four rows fill half of 32 registers with sums.
constexpr int64_t rowsAtOnce = 4;
/// With more rows the panel is read once per four rows, in pieces of 4 KiB that
/// stay in the first-level cache meanwhile. (Measured at 8 rows, of the read
/// bandwidth: 16 deep 87 %, 32 deep 82 %, 64 deep 78 %.)
constexpr int64_t depthPiece = 16;
/// How far ahead of its use a weight is fetched into the second-level cache:
/// the processor's own prefetching stops at every page.
constexpr int64_t fetchAhead = 8 * panelColumns;

/// out [rows, 64] += x [rows, depth] panel [depth, 64]
template <int64_t rows>
[[gnu::always_inline]] inline void addProduct(const float *x, int64_t xStride,
                                              const float *panel, int64_t depth,
                                              float *out) {
  Floats16 sums[rows][panelVectors];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < panelVectors; ++c)
      sums[row][c] = load(out + row * panelColumns + c * lanes);
  for (int64_t k = 0; k < depth; ++k) {
    const float *weights = panel + k * panelColumns;
    for (int64_t c = 0; c < panelVectors; ++c) {
      __builtin_prefetch(weights + fetchAhead + c * lanes, 0, 2);
      Floats16 w = load(weights + c * lanes);
      for (int64_t row = 0; row < rows; ++row)
        sums[row][c] += x[row * xStride + k] * w;
    }
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < panelVectors; ++c)
      store(out + row * panelColumns + c * lanes, sums[row][c]);
}

[[gnu::always_inline]] inline void
multiplyPanelBody(const float *x, int64_t xStride, int64_t rows,
                  const float *panel, int64_t depth, float *out) {
  std::fill_n(out, rows * panelColumns, 0.0f);
  int64_t piece = rows > rowsAtOnce ? depthPiece : depth;
  for (int64_t k = 0; k < depth; k += piece) {
    int64_t count = std::min(piece, depth - k);
    for (int64_t row = 0; row < rows; row += rowsAtOnce) {
      const float *from = x + row * xStride + k;
      const float *weights = panel + k * panelColumns;
      float *to = out + row * panelColumns;
      switch (std::min(rowsAtOnce, rows - row)) {
      case 1:
        addProduct<1>(from, xStride, weights, count, to);
        break;
      case 2:
        addProduct<2>(from, xStride, weights, count, to);
        break;
      case 3:
        addProduct<3>(from, xStride, weights, count, to);
        break;
      default:
        addProduct<4>(from, xStride, weights, count, to);
      }
    }
  }
}

} // namespace

void multiplyPanel(const float *x, int64_t xStride, int64_t rows,
                   const float *panel, int64_t depth, float *out) {
  MultiVersion<multiplyPanelBody>::call(x, xStride, rows, panel, depth, out);
}

} // namespace tandem
