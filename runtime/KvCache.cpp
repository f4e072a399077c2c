#include "runtime/KvCache.h"

#include <numeric>

namespace tandem {

int64_t KvCache::sizeInBytes(const KvCacheLayout &layout,
                             int64_t numSequences) {
  return numSequences * layout.blocksPerSequence() * layout.bytesPerBlock();
}

Result<KvCache> KvCache::allocate(MemoryTracker &memory,
                                  const KvCacheLayout &layout,
                                  int64_t numSequences) {
  if (numSequences < 1)
    return failure("sequences: got {}, expected at least 1", numSequences);
  auto blocks =
      Buffer::allocate(memory, sizeInBytes(layout, numSequences), "KV cache");
  if (!blocks)
    return std::unexpected(blocks.error());
  KvCache cache;
  cache.layout = layout;
  cache.blocks = std::move(*blocks);
  cache.lengths.resize(numSequences);
  return cache;
}

Result<void> KvCache::checkSequence(int64_t sequence) const {
  if (sequence < 0 || sequence >= numSequences())
    return failure("sequence: got {}, expected 0 to {}", sequence,
                   numSequences() - 1);
  return {};
}

Result<void> KvCache::checkLength(int64_t sequence, int64_t numTokens) const {
  if (numTokens > layout.positions)
    return failure("sequence {}: got {} tokens, expected at most {}", sequence,
                   numTokens, layout.positions);
  return {};
}

void KvCache::writeTable(int64_t sequence, int32_t *table) const {
  int64_t numBlocks = layout.blocksPerSequence();
  std::iota(table, table + numBlocks,
            static_cast<int32_t>(sequence * numBlocks));
}

} // namespace tandem
