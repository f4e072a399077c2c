#pragma once

#include "backend/Buffer.h"
#include "backend/Executable.h"

#include <vector>

namespace tandem {

/// Keys and values of every token so far, of a fixed number of sequences.
/// Sequence s has the blocks s * B to (s + 1) * B - 1, in order.
class KvCache {
public:
  /// No sequences, no bytes.
  KvCache() = default;
  /// All of it, zeroed. Fails past the memory limit.
  static Result<KvCache> allocate(MemoryTracker &memory,
                                  const KvCacheLayout &layout,
                                  int64_t numSequences);
  static int64_t sizeInBytes(const KvCacheLayout &layout, int64_t numSequences);

  /// [numBlocks(), ...], see KvCacheLayout.
  std::byte *data() const { return blocks.data(); }
  int64_t numBlocks() const {
    return numSequences() * layout.blocksPerSequence();
  }
  int64_t numSequences() const { return static_cast<int64_t>(lengths.size()); }

  /// Fails for a sequence that there is not.
  Result<void> checkSequence(int64_t sequence) const;
  /// Fails where `sequence` cannot hold `numTokens` in all.
  Result<void> checkLength(int64_t sequence, int64_t numTokens) const;

  /// Tokens that the sequence holds.
  int64_t length(int64_t sequence) const { return lengths[sequence]; }
  void setLength(int64_t sequence, int64_t length) {
    lengths[sequence] = length;
  }

  /// Writes the sequence's block table, i32 [layout.blocksPerSequence()].
  void writeTable(int64_t sequence, int32_t *table) const;

private:
  KvCacheLayout layout;
  Buffer blocks;
  std::vector<int64_t> lengths; // by sequence
};

} // namespace tandem
