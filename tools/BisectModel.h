#pragma once

#include "passes/proof/Bisection.h"
#include "tools/Options.h"

namespace tandem {

/// What bisecting a model's pipeline has found.
struct BisectReport {
  std::vector<Bisection::PassCheck> checks; // of the passes that ran
  std::optional<Fault> fault;
};

/// Compiles a model folder a pass at a time, and holds a conversation in the
/// reference interpreter after each. It takes some eight bytes a parameter.
Result<BisectReport>
bisectModel(const ModelOptions &options,
            const std::function<void(const std::string &)> &progress);

} // namespace tandem
