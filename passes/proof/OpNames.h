#pragma once

#include "ir/Tandem.h"

#include <string>
#include <vector>

namespace tandem {

/// An op of the imported graph whose value can be followed through the programs
/// made of it.
struct TracedOp {
  std::string name;      // "h.0.mlp.c_proj (matmul)"; its location too
  int64_t rank = 0;      // of its result
  int64_t rowDim = 0;    // the dimension of it that numbers the rows
  double roundings = 0;  // that its value has behind it: see ErrorBudget.h
  double narrowings = 0; // of factors of products with weights, behind it
};

/// The ops of an imported graph, in program order, under names of their own.
struct TracedGraph {
  std::vector<TracedOp> ops;
  std::string hidden, logits; // the ops that make them
  int64_t vocabSize = 0;

  /// Null for a name that none has.
  const TracedOp *find(llvm::StringRef name) const;
};

/// Gives every compute op of the function of phase `model` a name that no other
/// has, as its location: passes keep the location of the last op whose work a
/// new op does, so that the name says, in any program, which value of the
/// imported graph a result is. An op that made another name of nothing has its
/// number: "matmul 7". `numTokens` is what an open dimension stands for.
///
/// Traced are those whose rows mean the same in every program: no scores, whose
/// width depends on it, and nothing that only moves elements. Fails, with an
/// error on the op, for a graph that `specialize-phases` would refuse.
mlir::FailureOr<TracedGraph> nameOps(mlir::ModuleOp imported,
                                     int64_t numTokens);

/// The name in a location, or "".
llvm::StringRef nameIn(mlir::Location location);

} // namespace tandem
