#pragma once

#include "support/Result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// The lines of a file that lists something, without their ends; index + 1 is a
/// line's number. At least one; fails, naming file and line, for one that is
/// empty.
Result<std::vector<std::string>> readLines(const std::filesystem::path &path);

} // namespace tandem
