#include "frontend/RandomNormal.h"

#include <cmath>
#include <numbers>

namespace tandem {

uint64_t mixBits(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

void fillNormal(uint64_t stream, int64_t first, float deviation,
                std::span<float> out) {
  constexpr float turn = 2 * std::numbers::pi_v<float>;
  uint64_t pair = static_cast<uint64_t>(first) / 2;
  for (size_t i = 0; i < out.size(); i += 2, ++pair) {
    // Box and Muller: two uniform numbers, the first in (0, 1], make two normal
    // ones.
    uint64_t bits = mixBits(stream ^ mixBits(pair));
    float radius = static_cast<float>((bits >> 40) + 1) * 0x1p-24f;
    float angle = static_cast<float>(bits & 0xffffff) * 0x1p-24f * turn;
    float length = deviation * std::sqrt(-2 * std::log(radius));
    out[i] = length * std::cos(angle);
    if (i + 1 < out.size())
      out[i + 1] = length * std::sin(angle);
  }
}

} // namespace tandem
