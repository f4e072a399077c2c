#pragma once

#include "passes/TargetInfo.h"

#include <string>
#include <vector>

namespace tandem {

/// This machine, as far as passes need to know it. `numThreads`: how many the
/// plan reserves scratch for.
TargetInfo hostTarget(int numThreads);

/// The instruction sets that a plan for hostTarget() relies on wherever it
/// runs, in Linux's names. Kernels choose theirs when they run, and panels and
/// scratch are the same for all of them, so it is no more than CpuLevel::V2.
std::vector<std::string> requiredInstructionSets();

} // namespace tandem
