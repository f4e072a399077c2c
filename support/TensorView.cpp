#include "support/TensorView.h"

#include <bit>
#include <cassert>
#include <cstring>

namespace tandem {

std::string_view name(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return "f32";
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::I32:
    return "i32";
  case ElementType::QInt8:
    return "qint8";
  case ElementType::QInt4:
    return "qint4";
  }
  return "unknown";
}

int64_t TensorView::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t{bits} >> 15 << 31;
  uint32_t exponent = bits >> 10 & 0x1f;
  uint32_t mantissa = bits & 0x3ff;
  uint32_t magnitude;
  if (exponent == 0) // zero or subnormal: mantissa * 2^-24, exact in float
    magnitude =
        std::bit_cast<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f);
  else if (exponent == 31) // infinity or NaN
    magnitude = 0x7f800000 | mantissa << 13;
  else
    magnitude = (exponent + 112) << 23 | mantissa << 13;
  return std::bit_cast<float>(sign | magnitude);
}

float bfloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

/// Reads elements of type Stored from memory of any alignment.
template <typename Stored, typename Convert>
static void convertElements(const TensorView &view, float *out,
                            Convert convert) {
  int64_t count = view.numElements();
  for (int64_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, view.data + i * sizeof(Stored), sizeof(Stored));
    out[i] = convert(stored);
  }
}

void convertToFloat(const TensorView &view, float *out) {
  switch (view.type) {
  case ElementType::F32:
    convertElements<float>(view, out, [](float value) { return value; });
    return;
  case ElementType::F16:
    convertElements<uint16_t>(view, out, halfToFloat);
    return;
  case ElementType::BF16:
    convertElements<uint16_t>(view, out, bfloat16ToFloat);
    return;
  case ElementType::I32:
    convertElements<int32_t>(
        view, out, [](int32_t value) { return static_cast<float>(value); });
    return;
  case ElementType::QInt8:
  case ElementType::QInt4:
    assert(false && "no checkpoint stores them");
    return;
  }
}

} // namespace tandem
