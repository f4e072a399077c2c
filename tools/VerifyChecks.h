#pragma once

#include "tools/Options.h"

namespace tandem {

/// The logits of some of a model's programs against those of eager without a
/// cache.
struct Check {
  std::string name;
  double maxError = 0, budget = 0;
  std::string where; // the worst row
  bool ok() const { return maxError <= budget; }
};

/// Runs every kind of program on random tokens, at lengths that fill and that
/// just miss each bucket.
Result<std::vector<Check>> runChecks(const ModelOptions &options);

} // namespace tandem
