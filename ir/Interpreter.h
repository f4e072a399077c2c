#pragma once

#include "ir/Tandem.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace tandem {

/// A dense row-major array. f32 and i32 elements alike are doubles; ids and
/// positions are whole numbers.
struct Array {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> elements; // numElements() of them

  Array() = default;
  Array(llvm::ArrayRef<int64_t> shape, std::vector<double> elements);
  static Array zeros(llvm::ArrayRef<int64_t> shape);

  int64_t numElements() const;
  /// The size of dimension `i`, counted from the last where negative.
  int64_t dim(int64_t i) const { return shape[i < 0 ? i + shape.size() : i]; }
};

/// The memory that a program's `!tandem.kv_cache` stands for, zeros at first.
struct KvCacheState {
  KvCacheType type;
  int64_t numBlocks;
  std::vector<double> elements; // [blocks, layers, 2, heads, block, head_size]

  KvCacheState(KvCacheType type, int64_t numBlocks);
  /// The `head_size` elements of one head at `slot` of a block.
  double *at(int64_t block, int64_t layer, KvPart part, int64_t head,
             int64_t slot);
};

/// The value of a `tandem.parameter`, in the shape it declares whatever its
/// layout; fails for a name it does not know.
using WeightLookup =
    llvm::function_ref<mlir::FailureOr<Array>(llvm::StringRef name)>;

/// Sees what a compute op has made, one array a result or destination, before
/// the next op runs.
using OpObserver =
    llvm::function_ref<void(mlir::Operation *op, llvm::ArrayRef<Array> made)>;

/// Runs `function` in float64, one op after the other: the definition that
/// everything faster is compared with. It shares no code with any kernel.
///
/// `inputs` are the arguments in order without the cache, the arena and what
/// the function only writes; `?` in an argument's type takes the input's size.
/// Returns the function's results without the cache, then the contents of the
/// memref arguments that it writes, in argument order.
///
/// Memory is modelled so that a wrong plan gives wrong numbers: views of one
/// arena share its bytes; what nobody wrote is NaN; a destination is NaN before
/// its op reads, unless the op may work in place on exactly that buffer;
/// scratch is NaN after its op.
///
/// Errors go to the op at fault, or to the function where an input is.
mlir::FailureOr<std::vector<Array>> interpret(mlir::func::FuncOp function,
                                              llvm::ArrayRef<Array> inputs,
                                              KvCacheState *cache,
                                              WeightLookup weights,
                                              OpObserver observer = nullptr);

} // namespace tandem
