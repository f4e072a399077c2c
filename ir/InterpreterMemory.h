#pragma once

#include "ir/Interpreter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <memory>

namespace tandem {

/// Elements of a memory that values may share, at strides. A memory is a row
/// of bytes; an element lies at its first byte, and whoever writes it makes the
/// others NaN, so that values which overlap spoil each other. A quantised
/// number is the real one that it stands for; its scale is not modelled.
struct View {
  std::shared_ptr<std::vector<double>> memory;
  int64_t base = 0;   // the byte that the offsets of memref types count from
  int64_t offset = 0; // the byte of element 0
  int64_t elementBytes = 1;
  llvm::SmallVector<int64_t> shape, strides; // strides in bytes

  /// Memory of its own, holding `array`, as elements of `type`.
  View(const Array &array, mlir::Type type);
  /// Memory of its own, never written: NaN.
  View(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  /// A plain part of other memory.
  View(std::shared_ptr<std::vector<double>> memory, int64_t offset,
       llvm::ArrayRef<int64_t> shape, mlir::Type type);

  Array read() const;
  /// `array` has the view's number of elements.
  void write(const Array &array) const;
  /// Makes every element NaN.
  void poison() const;
  /// True if both are the same slots in the same order.
  bool sharesAll(const View &other) const;

private:
  /// The first byte of each element, row major.
  std::vector<int64_t> places() const;
};

/// The shape of a value of `type`, `?` taken from `dynamicSizes` in order.
llvm::SmallVector<int64_t> closedShape(mlir::MemRefType type,
                                       llvm::ArrayRef<int64_t> dynamicSizes);

/// What `op` makes of the arena `source`, `shift` bytes in. Fails where that
/// leaves the arena or cuts an element.
mlir::FailureOr<View> viewOf(mlir::memref::ViewOp op, const View &source,
                             int64_t shift,
                             llvm::ArrayRef<int64_t> dynamicSizes);

/// The memory of `source` under the type of the op's result, such as a
/// subview's. Fails unless that type's shape, strides and offset are static.
mlir::FailureOr<View> aliasOf(mlir::Operation *op, const View &source);

} // namespace tandem
