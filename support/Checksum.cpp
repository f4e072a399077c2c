#include "support/Checksum.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <xxh_x86dispatch.h> // the fastest that the processor has

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

struct BlockChecksums::State {
  XXH3_state_t *hash = XXH3_createState(); // of the block that is being filled
  ~State() { XXH3_freeState(hash); }
};

BlockChecksums::BlockChecksums(size_t blockInBytes)
    : blockInBytes(blockInBytes), state(std::make_unique<State>()) {
  XXH3_64bits_reset(state->hash);
}

BlockChecksums::~BlockChecksums() = default;
BlockChecksums::BlockChecksums(BlockChecksums &&) noexcept = default;

void BlockChecksums::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    auto piece = bytes.first(std::min(bytes.size(), blockInBytes - filled));
    XXH3_64bits_update(state->hash, piece.data(), piece.size());
    filled += piece.size();
    if (filled == blockInBytes)
      endBlock();
    bytes = bytes.subspan(piece.size());
  }
}

void BlockChecksums::endBlock() {
  sums.push_back(XXH3_64bits_digest(state->hash));
  XXH3_64bits_reset(state->hash);
  filled = 0;
}

std::vector<uint64_t> BlockChecksums::finish() {
  if (filled > 0)
    endBlock();
  return std::move(sums);
}

} // namespace tandem
