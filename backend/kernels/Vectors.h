#pragma once

#include <cstddef>
#include <cstdint>

/// Sixteen floats at a time, in the compiler's own vector types. Functions here
/// are inlined into leaf functions that are compiled once per instruction set
/// (`MultiVersion`), where they become one 64-byte, two 32-byte or four 16-byte
/// operations. They must not be called from anywhere else.
namespace tandem::vectors {

typedef float Floats16 __attribute__((vector_size(64)));
typedef int32_t Ints16 __attribute__((vector_size(64)));
typedef int16_t Shorts32 __attribute__((vector_size(64)));
typedef float UnalignedFloats16
    __attribute__((vector_size(64), aligned(4), may_alias));

inline constexpr int64_t lanes = 16;

[[gnu::always_inline]] inline Floats16 load(const float *from) {
  return *reinterpret_cast<const UnalignedFloats16 *>(from);
}

/// Any 64 bytes, as the numbers that they hold side by side are worked on.
[[gnu::always_inline]] inline Ints16 loadInts(const void *from) {
  Ints16 v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}

[[gnu::always_inline]] inline void storeInts(void *to, Ints16 v) {
  __builtin_memcpy(to, &v, sizeof(v));
}

[[gnu::always_inline]] inline void store(float *to, Floats16 v) {
  *reinterpret_cast<UnalignedFloats16 *>(to) = v;
}

/// The first `count` < 16 lanes, the others are `fill`.
[[gnu::always_inline]] inline Floats16
loadFirst(const float *from, int64_t count, float fill = 0) {
  alignas(64) float lane[lanes];
  for (int64_t i = 0; i < lanes; ++i)
    lane[i] = i < count ? from[i] : fill;
  return load(lane);
}

[[gnu::always_inline]] inline Ints16 loadFirstInts(const void *from,
                                                   int64_t count) {
  alignas(64) int32_t lane[lanes] = {};
  __builtin_memcpy(lane, from, count * sizeof(int32_t));
  return loadInts(lane);
}

/// Sixteen bytes without signs.
[[gnu::always_inline]] inline Ints16 loadBytes(const std::byte *from) {
  int32_t lane[lanes];
  for (int64_t i = 0; i < lanes; ++i)
    lane[i] = static_cast<int32_t>(from[i]);
  return loadInts(lane);
}

[[gnu::always_inline]] inline Floats16 toFloats(Ints16 v) {
  return __builtin_convertvector(v, Floats16);
}

[[gnu::always_inline]] inline void storeFirst(float *to, Floats16 v,
                                              int64_t count) {
  alignas(64) float lane[lanes];
  store(lane, v);
  for (int64_t i = 0; i < count; ++i)
    to[i] = lane[i];
}

[[gnu::always_inline]] inline Floats16 broadcast(float value) {
  return Floats16{} + value;
}

/// Lane by lane, which GCC sees through; it does not through a constructor.
[[gnu::always_inline]] inline Ints16 broadcastInt(int32_t value) {
  Ints16 v;
  for (int i = 0; i < lanes; ++i)
    v[i] = value;
  return v;
}

[[gnu::always_inline]] inline Floats16 larger(Floats16 a, Floats16 b) {
  return a > b ? a : b;
}

[[gnu::always_inline]] inline float sum(Floats16 v) {
  float lane[8];
  for (int i = 0; i < 8; ++i)
    lane[i] = v[i] + v[i + 8];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
         ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

[[gnu::always_inline]] inline int32_t sum(Ints16 v) {
  int32_t total = 0;
  for (int i = 0; i < lanes; ++i)
    total += v[i];
  return total;
}

/// The largest lane, in every lane.
[[gnu::always_inline]] inline Floats16 largest(Floats16 v) {
  v = larger(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0,
                                        1, 2, 3, 4, 5, 6, 7));
  v = larger(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13,
                                        14, 15, 8, 9, 10, 11));
  v = larger(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8,
                                        9, 14, 15, 12, 13));
  return larger(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8,
                                           11, 10, 13, 12, 15, 14));
}

/// The signed sums of the two halves of each lane.
[[gnu::always_inline]] inline Ints16 addHalves(Shorts32 v) {
  auto pairs = reinterpret_cast<Ints16>(v);
  return (pairs << 16 >> 16) + (pairs >> 16);
}

/// Sums of neighbours: eight of `a`, then eight of `b`.
[[gnu::always_inline]] inline Floats16 addPairs(Floats16 a, Floats16 b) {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                 22, 24, 26, 28, 30) +
         __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21,
                                 23, 25, 27, 29, 31);
}

/// Lane i of the result is the sum of the lanes of v[i]; overwrites `v`.
[[gnu::always_inline]] inline Floats16 sumEach(Floats16 (&v)[16]) {
  for (int64_t count = 8; count > 0; count /= 2)
    for (int64_t i = 0; i < count; ++i)
      v[i] = addPairs(v[2 * i], v[2 * i + 1]);
  return v[0];
}

} // namespace tandem::vectors
