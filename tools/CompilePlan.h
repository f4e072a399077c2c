#pragma once

#include "backend/Executable.h"
#include "tools/BuildModule.h"

namespace tandem {

/// A model's module at its last stage and the executable that it was lowered
/// to, complete but for the constants' bytes: no weight has been packed.
struct CompiledPlan {
  ModuleInProgress built;
  Executable executable;
};

/// Stage `specialized` for --mode eager, else `planned`.
Result<CompiledPlan> compilePlan(const ModelOptions &options,
                                 const ProgramUse &use);

} // namespace tandem
