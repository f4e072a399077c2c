#include "backend/kernels/PanelProduct.h"

#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/Vectors.h"

namespace tandem {

using namespace vectors;

namespace {

constexpr int64_t panelVectors = panelColumns / lanes;
/// How far ahead of its use a weight is fetched into the second-level cache:
/// the processor's own prefetching stops at every page.
constexpr int64_t fetchAhead = 8 * panelColumns;

template <int64_t rows>
[[gnu::always_inline]] inline void
addProduct(const PanelRows<float> &x, const std::byte *panel, float *out) {
  Floats16 sums[rows][panelVectors];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < panelVectors; ++c)
      sums[row][c] = load(out + row * panelColumns + c * lanes);
  auto *weights = reinterpret_cast<const float *>(panel);
  for (int64_t k = 0; k < x.depth; ++k, weights += panelColumns) {
    for (int64_t c = 0; c < panelVectors; ++c) {
      __builtin_prefetch(weights + fetchAhead + c * lanes, 0, 2);
      Floats16 w = load(weights + c * lanes);
      for (int64_t row = 0; row < rows; ++row)
        sums[row][c] += x.row(row)[k] * w;
    }
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < panelVectors; ++c)
      store(out + row * panelColumns + c * lanes, sums[row][c]);
}

constexpr PanelLeaf<PanelRows<float>, float> leaves[rowsAtOnce] = {
    MultiVersion<addProduct<1>>::call, MultiVersion<addProduct<2>>::call,
    MultiVersion<addProduct<3>>::call, MultiVersion<addProduct<4>>::call};

} // namespace

void multiplyPanel(const PanelRows<float> &rows, const std::byte *panel,
                   float *out) {
  multiplyByLeaves(leaves, ElementType::F32, rows, panel, out);
}

} // namespace tandem
