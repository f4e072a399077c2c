#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// XXH3's 64 bits: they find damage, not intent.
namespace tandem {

uint64_t checksum(std::span<const std::byte> bytes);

/// Of each block; on all cores where there are many.
std::vector<uint64_t>
checksums(std::span<const std::span<const std::byte>> blocks);

/// Of bytes that come in pieces, cut into blocks of one size; the last block
/// may be shorter.
class BlockChecksums {
public:
  explicit BlockChecksums(size_t blockInBytes);
  ~BlockChecksums();
  BlockChecksums(BlockChecksums &&) noexcept;

  void add(std::span<const std::byte> bytes);
  /// Of all that was added; nothing is to be added after it.
  std::vector<uint64_t> finish();

private:
  struct State;
  void endBlock();

  size_t blockInBytes, filled = 0;
  std::unique_ptr<State> state;
  std::vector<uint64_t> sums;
};

} // namespace tandem
