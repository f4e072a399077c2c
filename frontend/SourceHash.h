#pragma once

#include "support/Result.h"

#include <cstdint>
#include <filesystem>
#include <span>

namespace tandem {

/// One number for what a model was made of: XXH3, 64 bits, over the XXH3 of
/// every 1 MiB block, and the size, of each file in turn; a file that is not
/// there has size 0. Equal for equal files, wherever they lie. Reads all of
/// them, a few MiB at a time.
Result<uint64_t> sourceHash(std::span<const std::filesystem::path> files);

} // namespace tandem
