#include "ir/ShapeChecks.h"

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

/// How many dimensions of `to` each one of `from` was split into; nothing
/// where a reshape from the one to the other does more than split.
std::optional<SmallVector<int64_t>> splitsOf(ArrayRef<int64_t> from,
                                             ArrayRef<int64_t> to) {
  SmallVector<int64_t> splits;
  size_t next = 0;
  for (int64_t dim : from) {
    if (next == to.size())
      return std::nullopt;
    int64_t size = to[next++], count = 1;
    auto isOpen = ShapedType::isDynamic;
    if (isOpen(size) != isOpen(dim))
      return std::nullopt;
    for (; size < dim && next < to.size() && !isOpen(to[next]); ++count)
      size *= to[next++];
    if (size != dim)
      return std::nullopt;
    splits.push_back(count);
  }
  if (next != to.size())
    return std::nullopt;
  return splits;
}

/// transpose(reshape(x)) is reshape(transpose(x)) where the reshape splits
/// dimensions and the transpose keeps together, in order, what it split.
struct TransposeBeforeSplit : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto split = op.getX().getDefiningOp<ReshapeOp>();
    if (!split || op->getNumResults() == 0)
      return failure();
    auto counts = splitsOf(shapeOf(split.getX()), shapeOf(op.getX()));
    if (!counts || counts->size() == op.getPermutation().size())
      return failure();
    std::optional<SmallVector<int64_t>> permutation =
        beforeSplit(*counts, op.getPermutation());
    if (!permutation)
      return failure();
    SmallVector<int64_t> shape =
        llvm::map_to_vector(shapeOf(op->getResult(0)), [](int64_t dim) {
          return ShapedType::isDynamic(dim) ? -1 : dim;
        });
    Value transposed = tandem::create<TransposeOp>(
        rewriter, op.getLoc(), split.getX(), ValueRange(), *permutation);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, transposed, ValueRange(), shape);
    return success();
  }

  /// The permutation of the dimensions before they were split, or nothing.
  static std::optional<SmallVector<int64_t>>
  beforeSplit(ArrayRef<int64_t> counts, ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> firsts = {0}; // of each, where its parts begin
    for (int64_t count : counts)
      firsts.push_back(firsts.back() + count);
    SmallVector<int64_t> result;
    while (!permutation.empty()) {
      int64_t first = permutation.front();
      int64_t dim = llvm::find(firsts, first) - firsts.begin();
      if (dim >= static_cast<int64_t>(counts.size()) ||
          !llvm::equal(permutation.take_front(counts[dim]),
                       llvm::seq(first, first + counts[dim])))
        return std::nullopt;
      permutation = permutation.drop_front(counts[dim]);
      result.push_back(dim);
    }
    return result;
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
  patterns.add<MergeTransposes, TransposeBeforeSplit>(context);
}

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<AbsorbTranspose>(context);
}
