#pragma once

#include "support/Result.h"

#include <set>
#include <span>
#include <string>

namespace tandem {

/// What this machine's processor can do, in Linux's names ("avx2",
/// "avx512f"): the flags of /proc/cpuinfo.
Result<std::set<std::string>> hostInstructionSets();

/// Whether this machine has all of `names`; the error says which it lacks.
Result<void> requireInstructionSets(std::span<const std::string> names);

} // namespace tandem
