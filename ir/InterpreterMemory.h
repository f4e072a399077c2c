#pragma once

#include "ir/Interpreter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <memory>

namespace tandem {

/// Elements of a memory that values may share, at strides. A memory is a row
/// of four-byte slots: one f32 or i32, or four bytes of scratch.
struct View {
  std::shared_ptr<std::vector<double>> memory;
  int64_t base = 0;   // the slot that the offsets of memref types count from
  int64_t offset = 0; // the slot of element 0
  llvm::SmallVector<int64_t> shape, strides; // in slots

  /// Memory of its own, holding `array`.
  explicit View(Array array);
  /// Memory of its own, never written: NaN.
  explicit View(llvm::ArrayRef<int64_t> shape);
  /// A dense part of other memory.
  View(std::shared_ptr<std::vector<double>> memory, int64_t offset,
       llvm::ArrayRef<int64_t> shape);

  Array read() const;
  /// `array` has the view's number of elements.
  void write(const Array &array) const;
  /// Makes every element NaN.
  void poison() const;
  /// True if both are the same slots in the same order.
  bool sharesAll(const View &other) const;

private:
  /// The slot of each element, row major.
  std::vector<int64_t> slots() const;
};

/// The shape of a value of `type`, `?` taken from `dynamicSizes` in order; in
/// slots where the elements are bytes.
llvm::SmallVector<int64_t> shapeInSlots(mlir::MemRefType type,
                                        llvm::ArrayRef<int64_t> dynamicSizes);

/// What `op` makes of the arena `source`, `shift` bytes in. Fails where that
/// leaves the arena or cuts a slot.
mlir::FailureOr<View> viewOf(mlir::memref::ViewOp op, const View &source,
                             int64_t shift,
                             llvm::ArrayRef<int64_t> dynamicSizes);

/// The memory of `source` under the type of the op's result, such as a
/// subview's. Fails unless that type's shape, strides and offset are static.
mlir::FailureOr<View> aliasOf(mlir::Operation *op, const View &source);

} // namespace tandem
