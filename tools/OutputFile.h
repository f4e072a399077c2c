#pragma once

#include "support/Result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// Refuses an output that would replace what is read: a file of `model`,
/// of any kind, or one of `others`, by whatever name or link it is
/// reached. Also one that is not there yet, but would be read the next time.
Result<void> checkOutput(const std::string &option,
                         const std::filesystem::path &output,
                         const std::filesystem::path &model,
                         const std::vector<std::filesystem::path> &others = {});

} // namespace tandem
