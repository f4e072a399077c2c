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

/// Logits [rows, vocab], of as many rows as `got` has.
VerifyCheck compareLogits(const std::string &name, const TracedGraph &graph,
                          std::span<const float> got,
                          std::span<const float> expected);

/// Every op that both have.
VerifyCheck compareOps(const std::string &name, const TracedGraph &graph,
                       const ValueTrace &got, const ValueTrace &expected);

/// What is over its budget first, in program order, as one line; "" where
/// nothing is.
std::string firstOverBudget(std::span<const VerifyCheck> checks);

} // namespace tandem
