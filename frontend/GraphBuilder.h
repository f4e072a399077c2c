#pragma once

#include "ir/Tandem.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

namespace tandem {

/// Writes the one function of an imported module: what every model family's
/// builder starts from.
///
///   func.func @forward(%tokens: tensor<?xi32>, %positions: tensor<?xi32>)
///       -> tensor<?x...xf32>
class GraphBuilder {
public:
  /// An empty `@forward` of phase `model`; a sequence has at most `positions`.
  GraphBuilder(mlir::MLIRContext &context, int64_t positions);

  mlir::Value tokens() { return forward.getArgument(0); }
  mlir::Value positions() { return forward.getArgument(1); }

  /// Names the ops that follow, for messages and profiles: "h.0.attn".
  void locate(const llvm::Twine &name);

  /// The value of the weight `name`, which is declared at its first use.
  mlir::Value weight(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape);

  /// An op with one result, whose type is inferred.
  template <typename Op, typename... Args> mlir::Value add(Args &&...args) {
    return create<Op>(builder, builder.getLoc(), std::forward<Args>(args)...);
  }

  /// Ends the function; the builder is then empty.
  mlir::OwningOpRef<mlir::ModuleOp> finish(mlir::Value logits);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp forward;
  mlir::ImplicitLocOpBuilder builder;
};

} // namespace tandem
