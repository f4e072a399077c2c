#pragma once

#include "mlir/IR/PatternMatch.h"

namespace tandem {

/// A pattern that counts how often it was applied.
template <typename Op>
class CountedPattern : public mlir::OpRewritePattern<Op> {
public:
  /// `applied` must outlive the pattern.
  CountedPattern(mlir::MLIRContext *context, int64_t &applied)
      : mlir::OpRewritePattern<Op>(context), applied(applied) {}

  mlir::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const final {
    mlir::LogicalResult result = apply(op, rewriter);
    applied += succeeded(result);
    return result;
  }

protected:
  virtual mlir::LogicalResult apply(Op op,
                                    mlir::PatternRewriter &rewriter) const = 0;

private:
  int64_t &applied;
};

} // namespace tandem
