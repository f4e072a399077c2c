#include "passes/CountedPattern.h"
#include "passes/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tandem {
#define GEN_PASS_DEF_FUSEEMBEDDING
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

/// The embedding that makes `value` and that nothing else reads, or null.
EmbeddingOp soleEmbedding(Value value) {
  auto embedding = value.getDefiningOp<EmbeddingOp>();
  return embedding && value.hasOneUse() ? embedding : nullptr;
}

struct FromAdd : CountedPattern<AddOp> {
  using CountedPattern::CountedPattern;
  LogicalResult apply(AddOp op, PatternRewriter &rewriter) const override {
    EmbeddingOp lhs = soleEmbedding(op.getLhs());
    EmbeddingOp rhs = soleEmbedding(op.getRhs());
    if (!lhs || !rhs || op->getNumResults() == 0)
      return failure();
    rewriter.replaceOpWithNewOp<AddEmbeddingOp>(op, lhs.getTable(),
                                                lhs.getIds(), rhs.getTable(),
                                                rhs.getIds(), ValueRange());
    rewriter.eraseOp(lhs);
    rewriter.eraseOp(rhs);
    return success();
  }
};

struct FuseEmbedding : tandem::impl::FuseEmbeddingBase<FuseEmbedding> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    int64_t sums = 0;
    patterns.add<FromAdd>(&getContext(), sums);
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    count({{"sums fused", sums}});
  }
};

} // namespace
