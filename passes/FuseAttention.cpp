#include "passes/AttentionRows.h"
#include "passes/CountedPattern.h"
#include "passes/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tandem {
#define GEN_PASS_DEF_FUSEATTENTION
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

/// softmax(mask(factor * q k^T)) v, taken apart.
struct SpelledAttention {
  Value q, k, v, positions;
  double factor = 1;
};

/// Walks back from `context` to the scores; nothing else may read a value
/// between.
std::optional<SpelledAttention> takeApart(MatmulOp context) {
  if (context.getTransposeRhs() || context->getNumResults() == 0)
    return std::nullopt;
  SpelledAttention found;
  found.v = context.getRhs();
  auto softmax = context.getLhs().getDefiningOp<SoftmaxOp>();
  if (!softmax || !softmax->hasOneUse())
    return std::nullopt;
  for (Operation *op = softmax.getX().getDefiningOp(); op && op->hasOneUse();
       op = op->getOperand(0).getDefiningOp()) {
    if (auto scale = dyn_cast<ScaleOp>(op)) {
      double factor = scale.getFactor().convertToDouble();
      if (factor <= 0) // would turn the mask's -infinity around
        return std::nullopt;
      found.factor *= factor;
    } else if (auto mask = dyn_cast<CausalMaskOp>(op);
               mask && !found.positions) {
      found.positions = mask.getPositions();
    } else if (auto scores = dyn_cast<MatmulOp>(op);
               scores && scores.getTransposeRhs() && found.positions) {
      found.q = scores.getLhs();
      found.k = scores.getRhs();
      return found;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

int64_t dimOf(Value value, int64_t dim) {
  return cast<ShapedType>(value.getType()).getDimSize(dim);
}

struct ToAttention : CountedPattern<MatmulOp> {
  using CountedPattern::CountedPattern;
  LogicalResult apply(MatmulOp op, PatternRewriter &rewriter) const override {
    std::optional<SpelledAttention> found = takeApart(op);
    auto q = found ? dyn_cast<RankedTensorType>(found->q.getType()) : nullptr;
    if (!q || q.getRank() != 3 || !q.hasStaticShape() ||
        found->k.getType() != q || found->v.getType() != q ||
        dimOf(found->positions, 0) != q.getDimSize(1))
      return failure();
    Location location = op.getLoc();
    Value rows = tandem::create<AttentionOp>(
        rewriter, location, headsToRows(rewriter, location, found->q),
        headsToRows(rewriter, location, found->k),
        headsToRows(rewriter, location, found->v), found->positions, Value(),
        ValueRange(), q.getDimSize(0), llvm::APFloat(found->factor));
    rewriter.replaceOp(op,
                       rowsToHeads(rewriter, location, rows, q.getDimSize(0)));
    return success();
  }
};

struct ToCachedAttention : CountedPattern<MatmulOp> {
  using CountedPattern::CountedPattern;
  LogicalResult apply(MatmulOp op, PatternRewriter &rewriter) const override {
    std::optional<SpelledAttention> found = takeApart(op);
    if (!found)
      return failure();
    auto k = found->k.getDefiningOp<KvReadOp>();
    auto v = found->v.getDefiningOp<KvReadOp>();
    if (!k || !v || k.getPart() != KvPart::Key ||
        v.getPart() != KvPart::Value || k.getCache() != v.getCache() ||
        k.getLayer() != v.getLayer() || k.getPositions() != found->positions ||
        k->getOperands() != v->getOperands())
      return failure();
    Location location = op.getLoc();
    int64_t heads = dimOf(found->q, 0), headSize = dimOf(found->q, 3);
    int64_t flat[] = {heads, dimOf(found->q, 1) * dimOf(found->q, 2), headSize};
    Value q = tandem::create<ReshapeOp>(rewriter, location, found->q,
                                        ValueRange(), flat);
    Value rows = tandem::create<CachedAttentionOp>(
        rewriter, location, headsToRows(rewriter, location, q), k.getCache(),
        k.getPositions(), k.getSequences(), k.getBlockTables(), k.getValid(),
        Value(), ValueRange(), k.getLayer(), llvm::APFloat(found->factor));
    Value perHead = rowsToHeads(rewriter, location, rows, heads);
    rewriter.replaceOpWithNewOp<ReshapeOp>(
        op, perHead, ValueRange(),
        cast<ShapedType>(op->getResult(0).getType()).getShape());
    return success();
  }
};

struct FuseAttention : tandem::impl::FuseAttentionBase<FuseAttention> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    int64_t attentions = 0, cached = 0;
    patterns.add<ToAttention>(&getContext(), attentions);
    patterns.add<ToCachedAttention>(&getContext(), cached);
    // What moves rows to heads and back now cancels out.
    for (auto name : getContext().getRegisteredOperations())
      if (isa<TandemDialect>(name.getDialect()))
        name.getCanonicalizationPatterns(patterns, &getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    count({{"attentions formed", attentions},
           {"cached attentions formed", cached}});
  }
};

} // namespace
