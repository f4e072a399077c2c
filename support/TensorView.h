#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tandem {

/// QInt8 and QInt4 are whole numbers with scales (support/Layout.h says where
/// both lie); they are met in matrices only.
///   QInt8  scale of the channel * q,              q in -127 to 127
///   QInt4  scale of the channel * step of the group * q,
///                                   q in -8 to 7, step in 0 to 15, whole
/// A channel is an output feature of a weight, or a row of activations; a group
/// is 32 elements of a channel.
enum class ElementType : uint8_t { F32, F16, BF16, I32, QInt8, QInt4 };

constexpr bool isQuantized(ElementType type) {
  return type == ElementType::QInt8 || type == ElementType::QInt4;
}

/// Bits of one element, without scales and steps.
constexpr int64_t bitsOf(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::I32:
    return 32;
  case ElementType::F16:
  case ElementType::BF16:
    return 16;
  case ElementType::QInt8:
    return 8;
  case ElementType::QInt4:
    return 4;
  }
  return 0;
}

/// Bytes of an element that lies by itself, which QInt4 does not.
constexpr int64_t sizeInBytes(ElementType type) { return bitsOf(type) / 8; }

/// "f32", "f16", "bf16", "i32": MLIR's spelling; "qint8", "qint4".
std::string_view name(ElementType type);

/// A dense row-major tensor that somebody else owns.
struct TensorView {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  const std::byte *data = nullptr; // not owned; may be unaligned

  int64_t numElements() const;
};

/// Converts every element to float (exact, but for I32 beyond 2^24); `out`
/// holds numElements() floats.
void convertToFloat(const TensorView &view, float *out);

/// IEEE half and bfloat16, as stored.
float halfToFloat(uint16_t bits);
float bfloat16ToFloat(uint16_t bits);

} // namespace tandem
