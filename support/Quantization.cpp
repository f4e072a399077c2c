#include "support/Quantization.h"
#include "support/Layout.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tandem {

uint16_t floatToBfloat16(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float largestMagnitude(std::span<const float> values) {
  float largest = 0;
  for (float value : values)
    largest = std::max(largest, std::abs(value));
  return largest;
}

float quantizeToInt8(std::span<const float> channel, int8_t *out) {
  float scale = largestMagnitude(channel) / 127;
  float divisor = scale > 0 ? scale : 1;
  for (size_t i = 0; i < channel.size(); ++i)
    out[i] = static_cast<int8_t>(
        std::clamp(std::nearbyint(channel[i] / divisor), -127.0f, 127.0f));
  return scale;
}

static float nearestInt4(float value, float unit) {
  return std::clamp(std::nearbyint(value / unit), -8.0f, 7.0f);
}

static float squaredError(std::span<const float> group, float unit) {
  float error = 0;
  for (float value : group) {
    float off = value - unit * nearestInt4(value, unit);
    error += off * off;
  }
  return error;
}

/// The whole step for one group; 0 where all of it is 0.
static uint8_t bestStep(std::span<const float> group, float scale) {
  float wanted = largestMagnitude(group) / (7 * scale);
  if (wanted == 0)
    return 0;
  uint8_t best = 0;
  float least = 0;
  // One below lets the largest elements be cut for the sake of the others.
  auto above = static_cast<int>(std::ceil(wanted));
  for (int step = std::max(1, above - 2); step <= std::min(15, above); ++step)
    if (float error = squaredError(group, scale * static_cast<float>(step));
        best == 0 || error < least) {
      best = static_cast<uint8_t>(step);
      least = error;
    }
  return best;
}

float quantizeToInt4(std::span<const float> channel, int8_t *out,
                     uint8_t *steps) {
  float scale = largestMagnitude(channel) / (7 * 15);
  for (size_t begin = 0; begin < channel.size(); begin += groupSize) {
    auto group = channel.subspan(
        begin, std::min<size_t>(groupSize, channel.size() - begin));
    uint8_t step = scale > 0 ? bestStep(group, scale) : 0;
    steps[begin / groupSize] = step;
    for (size_t i = 0; i < group.size(); ++i)
      out[begin + i] = step == 0
                           ? int8_t{0}
                           : static_cast<int8_t>(nearestInt4(
                                 group[i], scale * static_cast<float>(step)));
  }
  return scale;
}

} // namespace tandem
