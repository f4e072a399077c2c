#pragma once

#include "backend/kernels/Kernel.h"

#include <gtest/gtest.h>

namespace tandem::testing {

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

/// `count` numbers in [-1, 1), the same for the same seed.
Floats randomFloats(int64_t count, uint32_t seed);

Value floats(std::vector<int64_t> shape);
Value ints(std::vector<int64_t> shape);
/// Rows `rowStride` elements apart.
Value strided(std::vector<int64_t> shape, int64_t rowStride);
Value panels(std::vector<int64_t> shape, Layout layout);

/// The panels of a plain [columns, depth] (RowPanels) or [depth, columns]
/// (ColumnPanels) weight; columns beyond the last are zero.
Floats toPanels(const Floats &weight, int64_t depth, int64_t columns,
                Layout layout);

/// One kernel and the values it is created for.
struct KernelCall {
  std::string kernel;
  std::vector<Value> inputs, outputs;
  Attributes attributes;
  int64_t scratchBytesPerThread = 0;

  /// Creates the kernel for `numThreads` and runs it on as many, with scratch
  /// full of NaN. Creation must succeed.
  void run(const std::vector<void *> &inputAddresses,
           const std::vector<void *> &outputAddresses, int numThreads) const;

  /// Why the kernel cannot be created; "" if it can.
  std::string creationError() const;
};

/// Each element within its own tolerance; a failure shows the worst element.
void expectClose(const Floats &got, const std::vector<double> &expected,
                 const std::vector<double> &tolerance, const std::string &what);
void expectClose(const Floats &got, const std::vector<double> &expected,
                 double tolerance, const std::string &what);

/// The unit of rounding of f32.
inline constexpr double epsilon = 0x1p-24;

/// What rounding may do to a sum of `count` products whose magnitudes sum to
/// `magnitude`: errors add up like a random walk.
double productTolerance(int64_t count, double magnitude);

} // namespace tandem::testing
