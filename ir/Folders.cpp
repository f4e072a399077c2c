#include "ir/Tandem.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tandem;

/// A fold applies to values, not to buffers: the op must have a result.
static bool keepsType(Operation *op) {
  return op->getNumResults() == 1 &&
         op->getOperand(0).getType() == op->getResult(0).getType();
}

LogicalResult ScaleOp::fold(FoldAdaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  if (!keepsType(*this) || getFactor().convertToDouble() != 1.0)
    return failure();
  results.push_back(getX());
  return success();
}

LogicalResult ReshapeOp::fold(FoldAdaptor,
                              SmallVectorImpl<OpFoldResult> &results) {
  if (!keepsType(*this))
    return failure();
  results.push_back(getX());
  return success();
}

LogicalResult TransposeOp::fold(FoldAdaptor,
                                SmallVectorImpl<OpFoldResult> &results) {
  if (!keepsType(*this) ||
      !llvm::equal(getPermutation(),
                   llvm::seq<int64_t>(0, getPermutation().size())))
    return failure();
  results.push_back(getX());
  return success();
}

LogicalResult SliceOp::fold(FoldAdaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  if (!keepsType(*this))
    return failure();
  results.push_back(getX());
  return success();
}

namespace {

/// reshape(reshape(x)) is reshape(x).
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<ReshapeOp>();
    if (!inner || op->getNumResults() == 0)
      return failure();
    rewriter.modifyOpInPlace(op,
                             [&] { op.getXMutable().assign(inner.getX()); });
    return success();
  }
};

/// transpose(transpose(x)) is one transpose.
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<TransposeOp>();
    if (!inner || op->getNumResults() == 0)
      return failure();
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    rewriter.modifyOpInPlace(op, [&] {
      op.getXMutable().assign(inner.getX());
      op.setPermutation(permutation);
    });
    return success();
  }
};

/// matmul(a, transpose(b)) that swaps b's last two dimensions reads b as it is.
struct AbsorbTranspose : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getRhs().getDefiningOp<TransposeOp>();
    if (!transpose || op->getNumResults() == 0)
      return failure();
    auto swapped = llvm::to_vector(
        llvm::seq<int64_t>(0, transpose.getPermutation().size()));
    if (swapped.size() < 2)
      return failure();
    std::swap(swapped.back(), swapped[swapped.size() - 2]);
    if (ArrayRef(swapped) != transpose.getPermutation())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getRhsMutable().assign(transpose.getX());
      op.setTransposeRhs(!op.getTransposeRhs());
    });
    return success();
  }
};

} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeTransposes>(context);
}

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<AbsorbTranspose>(context);
}
