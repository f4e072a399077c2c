#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/NarrowDots.h"
#include "backend/kernels/PanelProduct.h"
#include "backend/kernels/Vectors.h"

#include <cstring>
#include <immintrin.h>

namespace tandem {

using namespace vectors;

namespace {

using Rows = GroupedRows;

constexpr int64_t panelVectors = panelColumns / lanes;
/// A group: the steps, then four times quads of elements and of those four
/// further, in one byte each.
constexpr int64_t quads = groupSize / 8;
constexpr int64_t quadBytes = 4 * panelColumns;
constexpr int64_t groupBytes = panelColumns + quads * quadBytes;
constexpr int64_t fetchAhead = 8 * groupBytes;

[[gnu::always_inline]] inline int32_t loadQuad(const int8_t *from) {
  int32_t quad;
  std::memcpy(&quad, from, sizeof(quad));
  return quad;
}

[[gnu::always_inline]] inline void prefetchGroup(const std::byte *group) {
  for (int64_t line = 0; line < groupBytes; line += 64)
    __builtin_prefetch(group + fetchAhead + line, 0, 2);
}

/// The processor's own products: of quads, `u` being unsigned, and of pairs of
/// 16 bits.
[[gnu::always_inline, gnu::target("arch=x86-64-v4,avx512vnni")]] inline Ints16
addQuads(Ints16 sums, Ints16 u, int32_t quad) {
  return reinterpret_cast<Ints16>(_mm512_dpbusd_epi32(
      reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(u),
      _mm512_set1_epi32(quad)));
}
[[gnu::always_inline, gnu::target("arch=x86-64-v4,avx512vnni")]] inline Ints16
addPairs(Ints16 sums, Ints16 a, Ints16 b) {
  return reinterpret_cast<Ints16>(_mm512_dpwssd_epi32(
      reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(a),
      reinterpret_cast<__m512i>(b)));
}

[[gnu::always_inline, gnu::target("arch=x86-64-v4,avx512vnni")]] inline Ints16
loadSteps(const std::byte *from) {
  constexpr __mmask16 all = 0xffff; // unmasked, it warns of its own header
  return reinterpret_cast<Ints16>(_mm512_maskz_cvtepu8_epi32(
      all, _mm_loadu_si128(reinterpret_cast<const __m128i *>(from))));
}

/// Sixteen columns of a group. The weights are the unsigned side, as they are
/// stored. Their high four bits are left where they are, times 16, till the
/// end. A sum is within +-127 * 8 * 32, so that the 16-bit product by the step
/// has all of it.
template <int64_t rows>
[[gnu::always_inline, gnu::target("arch=x86-64-v4,avx512vnni")]] inline void
addGroup(const Rows &x, int64_t k, const std::byte *elements, Ints16 steps,
         int32_t *out) {
  Ints16 low[rows], high[rows] = {};
  for (int64_t row = 0; row < rows; ++row)
    low[row] = reinterpret_cast<Ints16>(_mm512_set1_epi32(-x.sumOf(row, k)));
  for (int64_t i = 0; i < quads; ++i) {
    Ints16 w = loadInts(elements + i * quadBytes);
    Ints16 lowNibbles = w & 0x0f0f0f0f;
    Ints16 highNibbles = w & static_cast<int32_t>(0xf0f0f0f0);
    for (int64_t row = 0; row < rows; ++row) {
      const int8_t *from = x.row(row) + k + 8 * i;
      low[row] = addQuads(low[row], lowNibbles, loadQuad(from));
      high[row] = addQuads(high[row], highNibbles, loadQuad(from + 4));
    }
  }
  for (int64_t row = 0; row < rows; ++row) {
    int32_t *to = out + row * panelColumns;
    storeInts(to, addPairs(loadInts(to), low[row] + (high[row] >> 4), steps));
  }
}

template <int64_t rows>
[[gnu::target("arch=x86-64-v4,avx512vnni")]] void
addWide(const Rows &x, const std::byte *panel, int32_t *out) {
  for (int64_t k = 0; k < x.depth; k += groupSize, panel += groupBytes) {
    prefetchGroup(panel);
    for (int64_t c = 0; c < panelVectors; ++c)
      addGroup<rows>(x, k, panel + panelColumns + c * 64,
                     loadSteps(panel + c * lanes), out + c * lanes);
  }
}

/// Four-bit elements of the low or the high bytes of pairs, unsigned.
template <int shift>
[[gnu::always_inline]] inline Shorts32 nibbles(Shorts32 v) {
  return v >> shift & 15;
}

/// Four products a call, of at most 15 * 127 each; sixteen fit into 16 bits.
[[gnu::always_inline]] inline Shorts32
addQuad(Shorts32 sum, Shorts32 even, Shorts32 odd, const int8_t *from) {
  auto quad = reinterpret_cast<Shorts32>(broadcastInt(loadQuad(from)));
  return sum + even * (quad << 8 >> 8) + odd * (quad >> 8);
}

template <int64_t rows>
[[gnu::always_inline]] inline void
addProduct(const Rows &x, const std::byte *panel, int32_t *out) {
  for (int64_t k = 0; k < x.depth; k += groupSize, panel += groupBytes) {
    prefetchGroup(panel);
    for (int64_t c = 0; c < panelVectors; ++c) {
      Shorts32 sums[rows] = {};
      const std::byte *elements = panel + panelColumns + c * 64;
      for (int64_t i = 0; i < quads; ++i) {
        auto w = reinterpret_cast<Shorts32>(loadInts(elements + i * quadBytes));
        for (int64_t row = 0; row < rows; ++row) {
          const int8_t *from = x.row(row) + k + 8 * i;
          sums[row] = addQuad(sums[row], nibbles<0>(w), nibbles<8>(w), from);
          sums[row] =
              addQuad(sums[row], nibbles<4>(w), nibbles<12>(w), from + 4);
        }
      }
      Ints16 steps = loadBytes(panel + c * lanes);
      for (int64_t row = 0; row < rows; ++row) {
        int32_t *to = out + row * panelColumns + c * lanes;
        storeInts(to, loadInts(to) +
                          (addHalves(sums[row]) - x.sumOf(row, k)) * steps);
      }
    }
  }
}

constexpr PanelLeaf<Rows, int32_t> wideLeaves[rowsAtOnce] = {
    addWide<1>, addWide<2>, addWide<3>, addWide<4>};
constexpr PanelLeaf<Rows, int32_t> leaves[rowsAtOnce] = {
    MultiVersion<addProduct<1>>::call, MultiVersion<addProduct<2>>::call,
    MultiVersion<addProduct<3>>::call, MultiVersion<addProduct<4>>::call};

/// Elements times steps, as the bytes of one vector.
[[gnu::always_inline]] inline Ints16 expand(Shorts32 even, Shorts32 odd,
                                            Shorts32 steps) {
  return reinterpret_cast<Ints16>((((even - 8) * steps) & 0xff) |
                                  ((odd - 8) * steps) << 8);
}

[[gnu::always_inline]] inline void expandBody(const std::byte *panel,
                                              int64_t depth, std::byte *out) {
  for (int64_t k = 0; k < depth; k += groupSize, panel += groupBytes)
    for (int64_t c = 0; c < panelVectors; ++c) {
      Ints16 wide = loadBytes(panel + c * lanes);
      auto steps = reinterpret_cast<Shorts32>(wide | wide << 16);
      const std::byte *elements = panel + panelColumns + c * 64;
      std::byte *to = out + k * panelColumns + c * 64;
      for (int64_t i = 0; i < quads; ++i, to += 2 * quadBytes) {
        auto w = reinterpret_cast<Shorts32>(loadInts(elements + i * quadBytes));
        storeInts(to, expand(nibbles<0>(w), nibbles<8>(w), steps));
        storeInts(to + quadBytes, expand(nibbles<4>(w), nibbles<12>(w), steps));
      }
    }
}

} // namespace

void expandPanel(const std::byte *panel, int64_t depth, std::byte *out) {
  MultiVersion<expandBody>::call(
      panel, roundUp(depth, depthBlock(ElementType::QInt8)), out);
}

GroupedRows withGroupSums(const QuantizedRows &rows, int32_t *sums) {
  int64_t groups = (rows.depth + groupSize - 1) / groupSize;
  for (int64_t row = 0; row < rows.rows; ++row)
    for (int64_t group = 0; group < groups; ++group) {
      const int8_t *from = rows.row(row) + group * groupSize;
      int32_t sum = 0;
      for (int64_t i = 0; i < groupSize; ++i)
        sum += from[i];
      sums[row * groups + group] = 8 * sum;
    }
  return {rows, sums, groups};
}

void multiplyPanel(const Rows &rows, const std::byte *panel, int32_t *out) {
  multiplyByLeaves(hasNarrowDots() ? wideLeaves : leaves, ElementType::QInt4,
                   rows, panel, out);
}

} // namespace tandem
