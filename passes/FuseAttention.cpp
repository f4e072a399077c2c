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
  MatmulOp scores, context;
  Value positions;
  double factor = 1;

  Value q() { return scores.getLhs(); }
  Value k() { return scores.getRhs(); }
  Value v() { return context.getRhs(); }
};

/// Walks back from `context` to the scores; nothing else may read a value
/// between.
std::optional<SpelledAttention> takeApart(MatmulOp context) {
  if (context->getNumResults() == 0)
    return std::nullopt;
  SpelledAttention found;
  found.context = context;
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
               scores && found.positions) {
      found.scores = scores;
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

/// Whether `value` has the heads, rows and head size of `q`, with its rows in
/// dimension `row` of three.
bool matches(Value value, int64_t row, RankedTensorType q) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 3 && dimOf(value, 0) == q.getDimSize(0) &&
         dimOf(value, row) == q.getDimSize(1) &&
         dimOf(value, 3 - row) == q.getDimSize(2);
}

struct ToAttention : CountedPattern<MatmulOp> {
  using CountedPattern::CountedPattern;
  LogicalResult apply(MatmulOp op, PatternRewriter &rewriter) const override {
    std::optional<SpelledAttention> found = takeApart(op);
    auto q = found ? dyn_cast<RankedTensorType>(found->q().getType()) : nullptr;
    if (!q || q.getRank() != 3 || !q.hasStaticShape() ||
        !matches(found->k(), keyRowDim(found->scores), q) ||
        !matches(found->v(), valueRowDim(op), q) ||
        dimOf(found->positions, 0) != q.getDimSize(1))
      return failure();
    Location location = op.getLoc();
    Value queries = headsToRows(rewriter, location, found->q());
    Value keys =
        headsToRows(rewriter, location, found->k(), keyRowDim(found->scores));
    Value values = headsToRows(rewriter, location, found->v(), valueRowDim(op));
    Value rows = tandem::create<AttentionOp>(
        rewriter, location, queries, keys, values, found->positions, Value(),
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
    if (!found || !found->scores.getTransposeRhs() || op.getTransposeRhs())
      return failure();
    auto k = found->k().getDefiningOp<KvReadOp>();
    auto v = found->v().getDefiningOp<KvReadOp>();
    if (!k || !v || k.getPart() != KvPart::Key ||
        v.getPart() != KvPart::Value || k.getCache() != v.getCache() ||
        k.getLayer() != v.getLayer() || k.getPositions() != found->positions ||
        k->getOperands() != v->getOperands())
      return failure();
    Location location = op.getLoc();
    Value grouped = found->q();
    int64_t heads = dimOf(grouped, 0), headSize = dimOf(grouped, 3);
    int64_t flat[] = {heads, dimOf(grouped, 1) * dimOf(grouped, 2), headSize};
    Value q = tandem::create<ReshapeOp>(rewriter, location, grouped,
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

/// Queries that were scaled before they met the keys: their factor goes into
/// the op's. Nothing else may read them on the way.
template <typename Attention>
struct TakeQueryScale : CountedPattern<Attention> {
  using CountedPattern<Attention>::CountedPattern;
  LogicalResult apply(Attention op, PatternRewriter &rewriter) const override {
    Operation *from = op.getQ().getDefiningOp();
    while (from && isa<ReshapeOp, TransposeOp>(from) && from->hasOneUse())
      from = from->getOperand(0).getDefiningOp();
    auto scale = dyn_cast_or_null<ScaleOp>(from);
    if (!scale || !scale->hasOneUse())
      return failure();
    double factor =
        op.getScale().convertToDouble() * scale.getFactor().convertToDouble();
    rewriter.modifyOpInPlace(
        op, [&] { op.setScaleAttr(rewriter.getF64FloatAttr(factor)); });
    rewriter.replaceOp(scale, scale.getX());
    return success();
  }
};

struct FuseAttention : tandem::impl::FuseAttentionBase<FuseAttention> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    int64_t attentions = 0, cached = 0, scales = 0;
    patterns.add<ToAttention>(&getContext(), attentions);
    patterns.add<ToCachedAttention>(&getContext(), cached);
    patterns
        .add<TakeQueryScale<AttentionOp>, TakeQueryScale<CachedAttentionOp>>(
            &getContext(), scales);
    // What moves rows to heads and back now cancels out.
    for (auto name : getContext().getRegisteredOperations())
      if (isa<TandemDialect>(name.getDialect()))
        name.getCanonicalizationPatterns(patterns, &getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    count({{"attentions formed", attentions},
           {"cached attentions formed", cached},
           {"scales of queries folded", scales}});
  }
};

} // namespace
