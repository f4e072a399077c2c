#pragma once

#include "backend/Executable.h"
#include "tests/unit/kernels/KernelCall.h"

#include <cstring>

/// Narrow matrices as support/Layout.h says that they lie, read and written
/// element by element.
namespace tandem::testing {

template <typename T> T read(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// A weight of `depth` inputs and `columns` features in panels.
struct PackedWeight {
  ElementType type;
  int64_t depth, columns;
  std::vector<std::byte> bytes;

  /// The real number that input k of feature n is.
  double at(int64_t n, int64_t k) const {
    int64_t block = type == ElementType::BF16 ? 32 : 64;
    int64_t padded = (depth + block - 1) / block * block;
    int64_t panels = (columns + 63) / 64, j = n % 64;
    int64_t panelBytes = type == ElementType::BF16    ? padded * 64 * 2
                         : type == ElementType::QInt8 ? padded * 64
                                                      : padded / 32 * 64 * 17;
    const std::byte *panel = bytes.data() + n / 64 * panelBytes;
    if (type == ElementType::BF16)
      return bfloat16ToFloat(
          read<uint16_t>(panel + ((k / 2 * 64 + j) * 2 + k % 2) * 2));
    double scale =
        read<float>(bytes.data() + panels * panelBytes + n * sizeof(float));
    if (type == ElementType::QInt8)
      return scale * read<int8_t>(panel + (k / 4 * 64 + j) * 4 + k % 4);
    const std::byte *group = panel + k / 32 * 64 * 17;
    int64_t i = k % 32 / 8, within = k % 8;
    auto both = static_cast<int>(group[64 + (i * 64 + j) * 4 + within % 4]);
    int q = (within < 4 ? both & 15 : both >> 4) - 8;
    return scale * static_cast<int>(group[j]) * q;
  }
};

/// Row `row`, element k of what the cast kernel makes of [rows, depth].
inline double castAt(const std::vector<std::byte> &bytes, ElementType type,
                     std::pair<int64_t, int64_t> shape, int64_t row,
                     int64_t k) {
  auto [rows, depth] = shape;
  if (type == ElementType::BF16)
    return bfloat16ToFloat(read<uint16_t>(&bytes[(row * depth + k) * 2]));
  int64_t stride = (depth + 63) / 64 * 64;
  double scale = read<float>(&bytes[rows * stride + row * sizeof(float)]);
  return scale * read<int8_t>(&bytes[row * stride + k]);
}

} // namespace tandem::testing
