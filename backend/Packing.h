#pragma once

#include "backend/Executable.h"
#include "support/WeightStore.h"

#include <span>

namespace tandem {

/// A tensor of the checkpoint as a matrix, and where in a constant it lies. A
/// vector is one row.
struct Source {
  TensorView tensor;
  int64_t rows = 1, columns = 1;
  int64_t firstRow = 0, firstColumn = 0;

  /// `count` rows as they are stored.
  std::span<const std::byte> bytes(int64_t begin, int64_t count) const {
    int64_t rowBytes = columns * sizeInBytes(tensor.type);
    return {tensor.data + begin * rowBytes,
            static_cast<size_t>(count * rowBytes)};
  }
};

/// One constant, and all it is made of.
struct Packing {
  ElementType type = ElementType::F32; // as it is to lie
  Layout layout = Layout::Plain;
  int64_t rows = 1, columns = 1; // of the whole
  std::vector<Source> sources;
  std::string name;
  int64_t offset = 0;      // in the constant segment, in bytes
  int64_t sizeInBytes = 0; // padding and scales included

  bool isPadded() const {
    return sizeInBytes != rows * columns * static_cast<int64_t>(sizeof(float));
  }
};

/// Rows [begin, begin + count) of a source, and of these `columns` from
/// `column` on, as f32 [count, columns].
struct SourceBlock {
  const Source &source;
  int64_t begin = 0, count = 0, column = 0, columns = 0;
};
void load(const SourceBlock &block, float *out);

/// Writes a constant from `out` on, in its type and layout; padding of f32
/// stays as it is. At most `numThreads` threads share the work; the result does
/// not depend on how many. What has been packed is released in the store, from
/// which the sources are.
void pack(const Packing &packing, const WeightStore &store, std::byte *out,
          int numThreads);

} // namespace tandem
