#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tandem {

enum class ElementType : uint8_t { F32, F16, BF16, I32 };

constexpr int64_t sizeInBytes(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 ? 2 : 4;
}

/// "f32", "f16", "bf16", "i32": MLIR's spelling.
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
