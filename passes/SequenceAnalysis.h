#pragma once

#include "ir/Tandem.h"

#include "llvm/ADT/DenseMap.h"

namespace tandem {

/// Which dimensions of a value number the rows (tokens) of a program.
struct RowDims {
  enum class Mask {
    None,     // columns of later rows hold anything
    Infinite, // they hold -infinity
    Zero,     // they hold 0
  };
  std::optional<int64_t> row; // the row whose result this is
  std::optional<int64_t> key; // the rows it attends to
  Mask mask = Mask::None;
};

/// One attention: `context = softmax(mask(scale(scores))) v`.
struct AttentionSite {
  MatmulOp scores;  // q k^T, the matmul that pairs rows with rows
  MatmulOp context; // the matmul that sums over the rows attended to
};

/// Follows the rows' dimension from `tokens` and `positions` through a
/// function on tensors, by data flow alone.
class SequenceAnalysis {
public:
  /// Fails, with an error on the op, where rows influence each other other
  /// than causally, or where an op is not known to the analysis.
  static mlir::FailureOr<SequenceAnalysis> run(mlir::func::FuncOp function);

  RowDims lookup(mlir::Value value) const { return dims.lookup(value); }
  llvm::ArrayRef<AttentionSite> attentions() const { return sites; }

private:
  mlir::LogicalResult visit(mlir::Operation &op);
  mlir::FailureOr<RowDims> dimsOf(mlir::Operation &op);
  mlir::FailureOr<RowDims> visit(EmbeddingOp op);
  mlir::FailureOr<RowDims> visit(LayerNormOp op);
  mlir::FailureOr<RowDims> visit(MatmulOp op);
  mlir::FailureOr<RowDims> visitBinary(mlir::Operation &op, bool isSum);
  mlir::FailureOr<RowDims> visit(ScaleOp op);
  mlir::FailureOr<RowDims> visit(ActivationOp op);
  mlir::FailureOr<RowDims> visit(CausalMaskOp op);
  mlir::FailureOr<RowDims> visit(SoftmaxOp op);
  mlir::FailureOr<RowDims> visit(ReshapeOp op);
  mlir::FailureOr<RowDims> visit(TransposeOp op);
  mlir::FailureOr<RowDims> visit(SliceOp op);
  mlir::FailureOr<RowDims> visit(mlir::func::ReturnOp op);

  mlir::Value positions; // the argument of that name, or null
  llvm::DenseMap<mlir::Value, RowDims> dims;
  llvm::DenseMap<mlir::Value, MatmulOp>
      scoresBehind; // value with key -> its scores
  llvm::SmallVector<AttentionSite> sites;
};

/// The argument of `function` whose `tandem.name` is `name`, or null.
mlir::Value findArgument(mlir::func::FuncOp function, llvm::StringRef name);

} // namespace tandem
