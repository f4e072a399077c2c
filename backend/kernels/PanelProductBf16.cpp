#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/NarrowDots.h"
#include "backend/kernels/PanelProduct.h"
#include "backend/kernels/Vectors.h"

#include <bit>
#include <cstring>
#include <immintrin.h>

namespace tandem {

using namespace vectors;

namespace {

using Rows = PanelRows<uint16_t>;

constexpr int64_t panelVectors = panelColumns / lanes;
constexpr int64_t pairBytes = 4 * panelColumns;
constexpr int64_t fetchAhead = 32 * pairBytes;

/// Elements k and k + 1 of each row, the second 0 where the row ends: what is
/// behind it need not be a number.
template <int64_t rows>
[[gnu::always_inline]] inline void loadPairs(const Rows &x, int64_t k,
                                             int32_t (&pairs)[rows]) {
  for (int64_t row = 0; row < rows; ++row) {
    if (k + 1 < x.depth)
      std::memcpy(&pairs[row], x.row(row) + k, sizeof(int32_t));
    else
      pairs[row] = x.row(row)[k];
  }
}

/// The processor's own product of pairs.
[[gnu::always_inline, gnu::target("arch=x86-64-v4,avx512bf16")]] inline Floats16
addPairs(Floats16 sums, int32_t x, Ints16 w) {
  return _mm512_dpbf16_ps(sums,
                          reinterpret_cast<__m512bh>(_mm512_set1_epi32(x)),
                          reinterpret_cast<__m512bh>(w));
}

template <int64_t rows>
[[gnu::target("arch=x86-64-v4,avx512bf16")]] void
addWide(const Rows &x, const std::byte *panel, float *out) {
  Floats16 sums[rows][panelVectors];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < panelVectors; ++c)
      sums[row][c] = load(out + row * panelColumns + c * lanes);
  for (int64_t k = 0; k < x.depth; k += 2, panel += pairBytes) {
    int32_t pairs[rows];
    loadPairs(x, k, pairs);
    for (int64_t c = 0; c < panelVectors; ++c) {
      __builtin_prefetch(panel + fetchAhead + c * 64, 0, 2);
      Ints16 w = loadInts(panel + c * 64);
      for (int64_t row = 0; row < rows; ++row)
        sums[row][c] = addPairs(sums[row][c], pairs[row], w);
    }
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < panelVectors; ++c)
      store(out + row * panelColumns + c * lanes, sums[row][c]);
}

/// The first and the second elements of pairs as floats.
[[gnu::always_inline]] inline Floats16 firsts(Ints16 pairs) {
  return reinterpret_cast<Floats16>(pairs << 16);
}
[[gnu::always_inline]] inline Floats16 seconds(Ints16 pairs) {
  return reinterpret_cast<Floats16>(pairs & static_cast<int32_t>(0xffff0000));
}

template <int64_t rows>
[[gnu::always_inline]] inline void
addProduct(const Rows &x, const std::byte *panel, float *out) {
  Floats16 sums[rows][panelVectors];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < panelVectors; ++c)
      sums[row][c] = load(out + row * panelColumns + c * lanes);
  for (int64_t k = 0; k < x.depth; k += 2, panel += pairBytes) {
    int32_t pairs[rows];
    loadPairs(x, k, pairs);
    for (int64_t c = 0; c < panelVectors; ++c) {
      __builtin_prefetch(panel + fetchAhead + c * 64, 0, 2);
      Ints16 w = loadInts(panel + c * 64);
      Floats16 first = firsts(w), second = seconds(w);
      for (int64_t row = 0; row < rows; ++row) {
        sums[row][c] += std::bit_cast<float>(pairs[row] << 16) * first;
        sums[row][c] += std::bit_cast<float>(pairs[row] &
                                             static_cast<int32_t>(0xffff0000)) *
                        second;
      }
    }
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < panelVectors; ++c)
      store(out + row * panelColumns + c * lanes, sums[row][c]);
}

constexpr PanelLeaf<Rows, float> wideLeaves[rowsAtOnce] = {
    addWide<1>, addWide<2>, addWide<3>, addWide<4>};
constexpr PanelLeaf<Rows, float> leaves[rowsAtOnce] = {
    MultiVersion<addProduct<1>>::call, MultiVersion<addProduct<2>>::call,
    MultiVersion<addProduct<3>>::call, MultiVersion<addProduct<4>>::call};

} // namespace

void multiplyPanel(const Rows &rows, const std::byte *panel, float *out) {
  multiplyByLeaves(hasNarrowDots() ? wideLeaves : leaves, ElementType::BF16,
                   rows, panel, out);
}

} // namespace tandem
