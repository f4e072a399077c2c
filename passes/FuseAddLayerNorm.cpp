#include "passes/CountedPattern.h"
#include "passes/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tandem {
#define GEN_PASS_DEF_FUSEADDLAYERNORM
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

struct FromAdd : CountedPattern<LayerNormOp> {
  using CountedPattern::CountedPattern;
  LogicalResult apply(LayerNormOp op,
                      PatternRewriter &rewriter) const override {
    auto add = op.getX().getDefiningOp<AddOp>();
    auto scale = op.getScale().getDefiningOp<WeightOp>();
    auto bias = op.getBias().getDefiningOp<WeightOp>();
    if (!add || op->getNumResults() == 0 || !scale || !bias ||
        add.getLhs().getType() != add.getRhs().getType())
      return failure();
    // The fused op stands where the sum was made, before whatever reads it.
    for (WeightOp weight : {scale, bias})
      if (add->isBeforeInBlock(weight))
        rewriter.moveOpBefore(weight, add);
    rewriter.setInsertionPoint(add);
    auto fused = rewriter.create<AddLayerNormOp>(
        op.getLoc(), add.getLhs(), add.getRhs(), op.getScale(), op.getBias(),
        ValueRange(), op.getEpsilonAttr());
    rewriter.replaceOp(op, fused->getResult(1));
    rewriter.replaceOp(add, fused->getResult(0));
    return success();
  }
};

struct FuseAddLayerNorm : tandem::impl::FuseAddLayerNormBase<FuseAddLayerNorm> {
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
