#pragma once

#include "runtime/BucketPlan.h"
#include "tools/Command.h"

namespace tandem {

/// The best buckets for the prompts whose lengths are listed in
/// options.planFor, one a line. Expects that option; fails, naming file and
/// line, for what is no length or more than the model's positions.
Result<BucketPlan> planFor(const ModelOptions &options);

/// One line a length, and what they sum to.
std::string planTable(const BucketPlan &plan);
Json planDocument(const BucketPlan &plan);

/// `action`, but where `options` ask for a plan the buckets are first chosen by
/// it and its table printed to standard error. `options` must live as long as
/// `action`.
Action withPlanFor(ModelOptions &options, Action action);

} // namespace tandem
