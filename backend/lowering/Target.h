#pragma once

#include "passes/TargetInfo.h"

namespace tandem {

/// This machine, as far as passes need to know it. `numThreads`: how many the
/// plan reserves scratch for.
TargetInfo hostTarget(int numThreads);

} // namespace tandem
