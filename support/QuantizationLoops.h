#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// The loops behind Quantization.h. They are inlined, so that a kernel has them
/// in wider vectors; results are the same with any, since nothing here can be
/// fused or summed in another order.
namespace tandem {

[[gnu::always_inline]] inline uint16_t roundToBfloat16(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  return static_cast<uint16_t>(isNaN ? bits >> 16 | 0x40 : rounded);
}

/// NaN, if there is one: as bits, magnitudes are in the order of numbers, and
/// NaN is beyond infinity.
[[gnu::always_inline]] inline float largestMagnitude(const float *values,
                                                     int64_t count) {
  int32_t largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    int32_t bits = std::bit_cast<int32_t>(values[i]) & 0x7fffffff;
    largest = largest < bits ? bits : largest;
  }
  return std::bit_cast<float>(largest);
}

[[gnu::always_inline]] inline float clampTo(float value, float low,
                                            float high) {
  value = value < low ? low : value;
  return value > high ? high : value;
}

/// Added to a number of a magnitude below 2^22, it leaves no bits for
/// fractions: the sum is rounded to a whole number, ties to even, which its
/// lowest bits hold.
inline constexpr float rounder = 12582912.0f; // 1.5 * 2^23

[[gnu::always_inline]] inline int32_t nearestInt(float value) {
  return std::bit_cast<int32_t>(value + rounder) -
         std::bit_cast<int32_t>(rounder);
}

/// quantizeToInt8(); returns the scale.
[[gnu::always_inline]] inline float roundToInt8(const float *values,
                                                int64_t count, int8_t *out) {
  float scale = largestMagnitude(values, count) / 127;
  float divisor = scale > 0 ? scale : 1;
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<int8_t>(
        nearestInt(clampTo(values[i] / divisor, -127, 127)));
  return scale;
}

} // namespace tandem
