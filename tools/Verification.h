#pragma once

#include "tools/Options.h"
#include "tools/VerifyCheck.h"

#include <functional>

namespace tandem {

/// Runs random tokens through every program of a model folder, eager and
/// compiled, and compares logits and the values of all ops that both have with
/// those of the eager forward program; and decode with the rows of prefill.
/// Each program runs as many tokens as it has rows, and one fewer. `progress`
/// is told what runs.
Result<std::vector<VerifyCheck>>
verifyPrograms(const ModelOptions &options,
               const std::function<void(const std::string &)> &progress);

} // namespace tandem
