#include "support/Quantization.h"
#include "support/Layout.h"
#include "support/QuantizationLoops.h"

#include <algorithm>
#include <cmath>

namespace tandem {

uint16_t floatToBfloat16(float value) { return roundToBfloat16(value); }

void floatsToBfloat16(std::span<const float> values, uint16_t *out) {
  for (size_t i = 0; i < values.size(); ++i)
    out[i] = roundToBfloat16(values[i]);
}

float quantizeToInt8(std::span<const float> channel, int8_t *out) {
  return roundToInt8(channel.data(), std::ssize(channel), out);
}

/// A group, filled up with zeros where it is the last and smaller.
using Group = float[groupSize];

static float nearestInt4(float value, float unit) {
  return clampTo(value / unit, -8, 7) + rounder - rounder;
}

static float squaredError(const Group &group, float unit) {
  Group squares;
  for (int64_t i = 0; i < groupSize; ++i) {
    float off = group[i] - unit * nearestInt4(group[i], unit);
    squares[i] = off * off;
  }
  for (int64_t width = groupSize / 2; width > 0; width /= 2)
    for (int64_t i = 0; i < width; ++i)
      squares[i] += squares[i + width];
  return squares[0];
}

/// The whole step for one group; 0 where all of it is 0.
static uint8_t bestStep(const Group &group, float scale) {
  float wanted = largestMagnitude(group, groupSize) / (7 * scale);
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

static void roundGroup(const Group &group, float unit, int64_t count,
                       int8_t *out) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<int8_t>(nearestInt(clampTo(group[i] / unit, -8, 7)));
}

float quantizeToInt4(std::span<const float> channel, int8_t *out,
                     uint8_t *steps) {
  float scale =
      largestMagnitude(channel.data(), std::ssize(channel)) / (7 * 15);
  for (int64_t begin = 0; begin < std::ssize(channel); begin += groupSize) {
    int64_t count = std::min(groupSize, std::ssize(channel) - begin);
    Group group = {};
    std::copy_n(channel.data() + begin, count, group);
    uint8_t step = scale > 0 ? bestStep(group, scale) : 0;
    steps[begin / groupSize] = step;
    if (step == 0)
      std::fill_n(out + begin, count, int8_t{0});
    else
      roundGroup(group, scale * static_cast<float>(step), count, out + begin);
  }
  return scale;
}

} // namespace tandem
