#pragma once

#include "ir/Interpreter.h"

namespace tandem {

/// What a compute op makes of its operands, one array a result. Operands are
/// in the op's order; the cache, scratch and destinations have no array.
using Evaluated = mlir::FailureOr<std::vector<Array>>;

/// An op's operands by name, each an array or null.
template <typename Op>
using Operands =
    typename Op::template GenericAdaptor<llvm::ArrayRef<const Array *>>;

/// Any op with a result of its own: a tandem.ComputeOpInterface. `cache` is
/// null only where the function takes none.
Evaluated evaluate(mlir::Operation *op, llvm::ArrayRef<const Array *> operands,
                   KvCacheState *cache);

/// The ops that move elements, in InterpreterMovement.cpp.
Evaluated evaluate(EmbeddingOp op, Operands<EmbeddingOp> operands);
Evaluated evaluate(AddEmbeddingOp op, Operands<AddEmbeddingOp> operands);
Evaluated evaluate(ReshapeOp op, Operands<ReshapeOp> operands);
Evaluated evaluate(TransposeOp op, Operands<TransposeOp> operands);
Evaluated evaluate(SliceOp op, Operands<SliceOp> operands);

/// A matrix as elements of type `to` hold it; the channels of a quantised one
/// number dimension `channelDim`. In InterpreterNarrow.cpp.
Array narrowed(Array matrix, mlir::Type to, int64_t channelDim);
Evaluated evaluate(CastOp op, Operands<CastOp> operands);

/// Attention and the cache, in InterpreterAttention.cpp.
Evaluated evaluate(AttentionOp op, Operands<AttentionOp> operands);
Evaluated evaluate(KvReadOp op, Operands<KvReadOp> operands,
                   KvCacheState &cache);
Evaluated evaluate(CachedAttentionOp op, Operands<CachedAttentionOp> operands,
                   KvCacheState &cache);
mlir::LogicalResult append(KvAppendOp op, Operands<KvAppendOp> operands,
                           KvCacheState &cache);

/// The value of a weight: what `weights` has for its parameter, or for all of
/// that one's parts, as its element type holds it.
mlir::FailureOr<Array> valueOf(WeightOp op, WeightLookup weights);

/// Whether the op computes the right thing where a destination is exactly this
/// operand: it does where an element or a row of the result needs no other.
bool mayBeInPlace(mlir::OpOperand &operand);

/// An error at `op` unless `array` has this shape.
mlir::LogicalResult expectShape(mlir::Operation *op, llvm::StringRef operand,
                                const Array &array,
                                llvm::ArrayRef<int64_t> expected);

/// exp(x - max) / sum(exp(x - max)) of `size` elements, in place.
void softmaxInPlace(double *x, int64_t size);

} // namespace tandem
