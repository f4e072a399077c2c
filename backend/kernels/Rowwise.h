#pragma once

#include "backend/kernels/Kernel.h"
#include "backend/kernels/Range.h"

#include <utility>

namespace tandem {

/// A kernel whose threads take contiguous ranges of independent rows. `Body` is
/// called as body(operands, rows) and keeps the shapes it needs.
template <typename Body> class RowwiseKernel final : public Kernel {
public:
  RowwiseKernel(int64_t numRows, std::string_view name, Body body)
      : numRows(numRows), name(name), body(std::move(body)) {}

  void run(const KernelOperands &operands, int thread,
           int numThreads) const override {
    Range rows = split(numRows, thread, numThreads);
    if (rows.size() > 0)
      body(operands, rows);
  }

  std::string_view implementation() const override { return name; }

private:
  int64_t numRows;
  std::string_view name; // a literal
  Body body;
};

template <typename Body>
std::unique_ptr<Kernel> rowwise(int64_t numRows, std::string_view name,
                                Body body) {
  return std::make_unique<RowwiseKernel<Body>>(numRows, name, std::move(body));
}

/// Operand `index` as elements of type T.
template <typename T = float>
const T *in(const KernelOperands &operands, size_t index) {
  return static_cast<const T *>(operands.inputs[index]);
}
template <typename T = float>
T *out(const KernelOperands &operands, size_t index) {
  return static_cast<T *>(operands.outputs[index]);
}

} // namespace tandem
