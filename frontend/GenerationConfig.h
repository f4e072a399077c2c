#pragma once

#include "support/GenerationDefaults.h"
#include "support/Result.h"

#include <filesystem>

namespace tandem {

/// Reads `folder`/generation_config.json. Without the file: greedy.
Result<GenerationDefaults>
readGenerationConfig(const std::filesystem::path &folder);

} // namespace tandem
