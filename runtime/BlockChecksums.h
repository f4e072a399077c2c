#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tandem {

/// XXH3's 64 bits of each block; on all cores where there are many.
std::vector<uint64_t>
checksums(std::span<const std::span<const std::byte>> blocks);

uint64_t checksum(std::span<const std::byte> bytes);

} // namespace tandem
