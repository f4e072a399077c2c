#pragma once

#include "passes/proof/ValueTrace.h"

namespace tandem {

/// One comparison of two ways to run the same tokens.
struct VerifyCheck {
  std::string name; // "compiled prefill of 31 tokens, by op"
  double maxError = 0, budget = 0;
  std::string where;          // the op, or logit, that the error is of
  std::vector<Deviation> ops; // of a comparison by op: each, in program order

  bool ok() const { return maxError <= budget; }
};

/// What a check compares: one model's values, within one arithmetic's budgets.
struct Comparison {
  const TracedGraph &graph;
  Arithmetic arithmetic;

  /// Logits [rows, vocab], of as many rows as `got` has.
  VerifyCheck logits(const std::string &name, std::span<const float> got,
                     std::span<const float> expected) const;
  /// Every op that both have.
  VerifyCheck ops(const std::string &name, const ValueTrace &got,
                  const ValueTrace &expected) const;
};

/// What is over its budget first, in program order, as one line; "" where
/// nothing is.
std::string firstOverBudget(std::span<const VerifyCheck> checks);

} // namespace tandem
