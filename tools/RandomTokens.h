#pragma once

#include <cstdint>
#include <vector>

namespace tandem {

/// `count` ids below `vocabSize`, the same each time.
std::vector<int32_t> randomTokens(int64_t count, int64_t vocabSize);

} // namespace tandem
