#include "runtime/ArithmeticPeak.h"

#include "backend/kernels/MultiVersion.h"
#include "runtime/InstructionSets.h"
#include "runtime/TimeThreads.h"

#include <algorithm>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tandem {

namespace {

typedef float Floats16 __attribute__((vector_size(64)));

constexpr int64_t chains = 12; // hides 4 cycles of latency on 2 units

/// `rounds` multiply-adds of 16 floats on each of `chains` accumulators, which
/// start apart so that none is the same as another, and stay finite for a
/// factor below 1. The loops are unrolled so that all are in registers.
[[gnu::always_inline]] inline float multiplyFloatsBody(int64_t rounds) {
  Floats16 x = Floats16{} + 0.999f, y = 1.0f - x, sums[chains];
#pragma GCC unroll 16
  for (int64_t chain = 0; chain < chains; ++chain)
    sums[chain] = x + static_cast<float>(chain);
  for (int64_t i = 0; i < rounds; ++i)
#pragma GCC unroll 16
    for (Floats16 &sum : sums)
      sum = sum * x + y;
  Floats16 total = {};
#pragma GCC unroll 16
  for (const Floats16 &sum : sums)
    total += sum;
  return total[0] + total[7] + total[15];
}

float multiplyFloats(int64_t rounds) {
  return MultiVersion<multiplyFloatsBody>::call(rounds);
}

/// The same of 32 products of bf16.
[[gnu::target("avx512f,avx512bf16")]]
float dotBfloats(int64_t rounds) {
  auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(0x3f003f00)); // 0.5
  __m512 sums[chains];
#pragma GCC unroll 16
  for (int64_t chain = 0; chain < chains; ++chain)
    sums[chain] = _mm512_set1_ps(static_cast<float>(chain));
  for (int64_t i = 0; i < rounds; ++i)
#pragma GCC unroll 16
    for (__m512 &sum : sums)
      sum = _mm512_dpbf16_ps(sum, x, x);
  __m512 total = _mm512_setzero_ps();
#pragma GCC unroll 16
  for (const __m512 &sum : sums)
    total = _mm512_add_ps(total, sum);
  return total[0] + total[15];
}

/// The same of 64 products of bytes.
[[gnu::target("avx512f,avx512vnni")]]
float dotBytes(int64_t rounds) {
  __m512i x = _mm512_set1_epi8(1), sums[chains];
#pragma GCC unroll 16
  for (int32_t chain = 0; chain < chains; ++chain)
    sums[chain] = _mm512_set1_epi32(chain);
  for (int64_t i = 0; i < rounds; ++i)
#pragma GCC unroll 16
    for (__m512i &sum : sums)
      sum = _mm512_dpbusd_epi32(sum, x, x);
  __m512i total = _mm512_setzero_si512();
#pragma GCC unroll 16
  for (const __m512i &sum : sums)
    total = _mm512_add_epi32(total, sum);
  return static_cast<float>(total[0] + total[7]);
}

/// Eight tiles of 16 rows of 64 bytes.
struct alignas(64) TileShapes {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

/// Four products of tiles of 16 rows a round, on accumulators of their own.
template <bool isInteger>
[[gnu::target("amx-tile,amx-bf16,amx-int8")]]
float multiplyTiles(int64_t rounds) {
  // In memory before: GCC 12 believes that only its first bytes are read.
  static constexpr TileShapes shapes;
  _tile_loadconfig(&shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (int64_t i = 0; i < rounds; ++i)
    if constexpr (isInteger) {
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(1, 4, 7);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    } else {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  _tile_release();
  return 0;
}

/// Linux gives a process the tiles' registers only when it asks for them.
bool mayUseTiles() {
  constexpr long requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

/// A way to multiply elements of a type, and what one round of it does.
struct Way {
  ElementType type;
  const char *instructionSet; // as Linux names it; "": any processor's
  float (*multiply)(int64_t rounds);
  double operationsPerRound;
};

constexpr double vectorOperations = 2.0 * 16 * chains;
constexpr double tileOperations = 4 * 2.0 * 16 * 16 * 32;

/// Of each type the fastest first; what has no way of its own goes by f32.
constexpr Way ways[] = {
    {ElementType::BF16, "amx_bf16", multiplyTiles<false>, tileOperations},
    {ElementType::BF16, "avx512_bf16", dotBfloats, 2 * vectorOperations},
    {ElementType::QInt8, "amx_int8", multiplyTiles<true>, 2 * tileOperations},
    {ElementType::QInt8, "avx512_vnni", dotBytes, 4 * vectorOperations},
};
constexpr Way floats = {ElementType::F32, "", multiplyFloats, vectorOperations};

const Way &fastestWay(ElementType type) {
  auto host = hostInstructionSets();
  if (!host)
    return floats;
  for (const Way &way : ways) {
    std::string_view set = way.instructionSet;
    if (way.type == type && host->contains(way.instructionSet) &&
        (!set.starts_with("amx") || mayUseTiles()))
      return way;
  }
  return floats;
}

} // namespace

double peakGflops(ElementType type, int numThreads) {
  const Way &way = fastestWay(type);
  constexpr double operationsAPass = 1.5e9; // a thread: some hundredths of a s
  auto rounds = static_cast<int64_t>(operationsAPass / way.operationsPerRound);
  std::vector<float> sums(numThreads); // so that nothing is left out
  double best = 0;
  for (int pass = 0; pass < 10; ++pass) {
    double seconds =
        timeThreads(numThreads, [&](int t) { sums[t] = way.multiply(rounds); });
    best = std::max(best, way.operationsPerRound * static_cast<double>(rounds) *
                              numThreads / seconds / 1e9);
  }
  return best;
}

} // namespace tandem
