#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/NarrowDots.h"
#include "backend/kernels/PanelProduct.h"
#include "backend/kernels/Vectors.h"

#include <cstring>
#include <immintrin.h>

namespace tandem {

using namespace vectors;

namespace {

using Rows = QuantizedRows;

constexpr int64_t panelVectors = panelColumns / lanes;
constexpr int64_t quadBytes = 4 * panelColumns;
constexpr int64_t fetchAhead = 32 * quadBytes;

[[gnu::always_inline]] inline int32_t loadQuad(const int8_t *from) {
  int32_t quad;
  std::memcpy(&quad, from, sizeof(quad));
  return quad;
}

/// The processor's own product of quads, `u` being unsigned.
[[gnu::always_inline, gnu::target("arch=x86-64-v4,avx512vnni")]] inline Ints16
addQuads(Ints16 sums, Ints16 u, int32_t quad) {
  return reinterpret_cast<Ints16>(_mm512_dpbusd_epi32(
      reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(u),
      _mm512_set1_epi32(quad)));
}

/// The sum of a row, which is zero up to a multiple of 64 elements.
[[gnu::always_inline, gnu::target("arch=x86-64-v4,avx512vnni")]] inline int32_t
sumWide(const int8_t *row, int64_t depth) {
  __m512i sums = _mm512_setzero_si512();
  for (int64_t k = 0; k < depth; k += 64)
    sums = _mm512_dpbusd_epi32(sums, _mm512_set1_epi8(1),
                               reinterpret_cast<__m512i>(loadInts(row + k)));
  return sum(reinterpret_cast<Ints16>(sums));
}

/// The unsigned side are the weights, as w + 128. What that adds is taken off
/// the sums first.
template <int64_t rows>
[[gnu::target("arch=x86-64-v4,avx512vnni")]] void
addWide(const Rows &x, const std::byte *panel, int32_t *out) {
  Ints16 sums[rows][panelVectors];
  for (int64_t row = 0; row < rows; ++row) {
    int32_t excess = 128 * sumWide(x.row(row), x.depth);
    for (int64_t c = 0; c < panelVectors; ++c)
      sums[row][c] = loadInts(out + row * panelColumns + c * lanes) - excess;
  }
  for (int64_t k = 0; k < x.depth; k += 4, panel += quadBytes) {
    for (int64_t c = 0; c < panelVectors; ++c) {
      __builtin_prefetch(panel + fetchAhead + c * 64, 0, 2);
      Ints16 w = loadInts(panel + c * 64) ^ static_cast<int32_t>(0x80808080);
      for (int64_t row = 0; row < rows; ++row)
        sums[row][c] = addQuads(sums[row][c], w, loadQuad(x.row(row) + k));
    }
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < panelVectors; ++c)
      storeInts(out + row * panelColumns + c * lanes, sums[row][c]);
}

/// The low and the high bytes of pairs, signed.
[[gnu::always_inline]] inline Shorts32 lowBytes(Shorts32 v) {
  return v << 8 >> 8;
}
[[gnu::always_inline]] inline Shorts32 highBytes(Shorts32 v) { return v >> 8; }

/// In 16 bits: two products of at most 127 * 127 fit.
template <int64_t rows>
[[gnu::always_inline]] inline void
addProduct(const Rows &x, const std::byte *panel, int32_t *out) {
  for (int64_t k = 0; k < x.depth; k += 4, panel += quadBytes) {
    for (int64_t c = 0; c < panelVectors; ++c) {
      __builtin_prefetch(panel + fetchAhead + c * 64, 0, 2);
      auto w = reinterpret_cast<Shorts32>(loadInts(panel + c * 64));
      Shorts32 low = lowBytes(w), high = highBytes(w);
      for (int64_t row = 0; row < rows; ++row) {
        auto quad =
            reinterpret_cast<Shorts32>(broadcastInt(loadQuad(x.row(row) + k)));
        int32_t *to = out + row * panelColumns + c * lanes;
        storeInts(to, loadInts(to) + addHalves(low * lowBytes(quad) +
                                               high * highBytes(quad)));
      }
    }
  }
}

constexpr PanelLeaf<Rows, int32_t> wideLeaves[rowsAtOnce] = {
    addWide<1>, addWide<2>, addWide<3>, addWide<4>};
constexpr PanelLeaf<Rows, int32_t> leaves[rowsAtOnce] = {
    MultiVersion<addProduct<1>>::call, MultiVersion<addProduct<2>>::call,
    MultiVersion<addProduct<3>>::call, MultiVersion<addProduct<4>>::call};

} // namespace

void multiplyPanel(const Rows &rows, const std::byte *panel, int32_t *out) {
  multiplyByLeaves(hasNarrowDots() ? wideLeaves : leaves, ElementType::QInt8,
                   rows, panel, out);
}

} // namespace tandem
