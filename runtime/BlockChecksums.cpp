#include "runtime/BlockChecksums.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <xxhash.h>

namespace tandem {

uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::vector<uint64_t>
checksums(std::span<const std::span<const std::byte>> blocks) {
  constexpr size_t blocksWorthAThread = 8;
  std::vector<uint64_t> sums(blocks.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < blocks.size();)
      sums[i] = checksum(blocks[i]);
  };
  size_t numThreads = std::min<size_t>(std::thread::hardware_concurrency(),
                                       blocks.size() / blocksWorthAThread);
  std::vector<std::jthread> others;
  for (size_t i = 1; i < numThreads; ++i)
    others.emplace_back(work);
  work();
  others.clear(); // joins
  return sums;
}

} // namespace tandem
