#pragma once

#include <cstdint>
#include <span>

namespace tandem {

/// Fills `out` with the elements from `first` (even) on of a stream of normal
/// numbers with mean 0 and the deviation given. An element depends only on its
/// index and `stream`, so a stream may be made in pieces, in any order.
void fillNormal(uint64_t stream, int64_t first, float deviation,
                std::span<float> out);

/// A well mixed 64-bit number for each input (the finaliser of SplitMix64).
uint64_t mixBits(uint64_t value);

} // namespace tandem
