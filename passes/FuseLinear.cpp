#include "passes/CountedPattern.h"
#include "passes/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tandem {
#define GEN_PASS_DEF_FUSELINEAR
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

bool isTensorOp(Operation *op) { return op->getNumResults() == 1; }

/// The `linear` that makes `value` and that nothing else reads, or null.
LinearOp soleLinear(Value value) {
  auto linear = value.getDefiningOp<LinearOp>();
  return linear && value.hasOneUse() ? linear : nullptr;
}

/// Puts `linear` in the place of `op`, with a bias, activation or residual
/// more.
struct Extension {
  Value bias, residual;
  ActivationKindAttr activation;
};
void extend(PatternRewriter &rewriter, Operation *op, LinearOp linear,
            Extension more) {
  rewriter.replaceOpWithNewOp<LinearOp>(
      op, linear.getX(), linear.getWeight(),
      more.bias ? more.bias : linear.getBias(),
      more.residual ? more.residual : linear.getResidual(), Value(),
      ValueRange(),
      more.activation ? more.activation : linear.getActivationAttr(),
      linear.getTransposeRhs());
  rewriter.eraseOp(linear);
}

struct FromMatmul : CountedPattern<MatmulOp> {
  using CountedPattern::CountedPattern;
  LogicalResult apply(MatmulOp op, PatternRewriter &rewriter) const override {
    auto x = cast<ShapedType>(op.getLhs().getType());
    if (!isTensorOp(op) || x.getRank() != 2 ||
        !op.getRhs().getDefiningOp<WeightOp>())
      return failure();
    rewriter.replaceOpWithNewOp<LinearOp>(
        op, op.getLhs(), op.getRhs(), Value(), Value(), Value(), ValueRange(),
        ActivationKindAttr(), op.getTransposeRhs());
    return success();
  }
};

struct TakeBias : CountedPattern<AddOp> {
  using CountedPattern::CountedPattern;
  LogicalResult apply(AddOp op, PatternRewriter &rewriter) const override {
    LinearOp linear = soleLinear(op.getLhs());
    if (!isTensorOp(op) || !linear || linear.getBias() ||
        linear.getActivation() || linear.getResidual() ||
        cast<ShapedType>(op.getRhs().getType()).getRank() != 1 ||
        !op.getRhs().getDefiningOp<WeightOp>())
      return failure();
    extend(rewriter, op, linear, {op.getRhs(), {}, {}});
    return success();
  }
};

struct TakeActivation : CountedPattern<ActivationOp> {
  using CountedPattern::CountedPattern;
  LogicalResult apply(ActivationOp op,
                      PatternRewriter &rewriter) const override {
    LinearOp linear = soleLinear(op.getX());
    if (!isTensorOp(op) || !linear || linear.getActivation() ||
        linear.getResidual())
      return failure();
    extend(rewriter, op, linear, {{}, {}, op.getKindAttr()});
    return success();
  }
};

struct TakeResidual : CountedPattern<AddOp> {
  using CountedPattern::CountedPattern;
  LogicalResult apply(AddOp op, PatternRewriter &rewriter) const override {
    if (!isTensorOp(op) || op.getLhs().getType() != op.getRhs().getType())
      return failure();
    for (auto [made, other] : {std::pair(op.getLhs(), op.getRhs()),
                               std::pair(op.getRhs(), op.getLhs())}) {
      LinearOp linear = soleLinear(made);
      if (!linear || linear.getResidual())
        continue;
      extend(rewriter, op, linear, {{}, other, {}});
      return success();
    }
    return failure();
  }
};

struct FuseLinear : tandem::impl::FuseLinearBase<FuseLinear> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    int64_t linears = 0, biases = 0, activations = 0, residuals = 0;
    patterns.add<FromMatmul>(&getContext(), linears);
    patterns.add<TakeBias>(&getContext(), biases);
    patterns.add<TakeActivation>(&getContext(), activations);
    patterns.add<TakeResidual>(&getContext(), residuals);
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    count({{"linears formed", linears},
           {"biases folded", biases},
           {"activations folded", activations},
           {"residuals folded", residuals}});
  }
};

} // namespace
