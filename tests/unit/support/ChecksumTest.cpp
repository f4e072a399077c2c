#include "support/Checksum.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tandem {
namespace {

std::vector<std::byte> someBytes(size_t count) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < count; ++i)
    bytes.push_back(static_cast<std::byte>(i * 7 + i / 256));
  return bytes;
}

/// Cut into pieces of `size`, the last one shorter.
std::vector<std::span<const std::byte>> cut(std::span<const std::byte> bytes,
                                            size_t size) {
  std::vector<std::span<const std::byte>> pieces;
  for (size_t at = 0; at < bytes.size(); at += size)
    pieces.push_back(bytes.subspan(at, std::min(size, bytes.size() - at)));
  return pieces;
}

TEST(Checksum, DependsOnEveryByte) {
  auto bytes = someBytes(300);
  uint64_t before = checksum(bytes);
  for (std::byte &byte : bytes) {
    byte ^= std::byte{1};
    EXPECT_NE(checksum(bytes), before);
    byte ^= std::byte{1};
  }
  EXPECT_EQ(checksum(bytes), before);
}

TEST(Checksum, OfManyBlocksIsThatOfEach) {
  auto bytes = someBytes(100 * 64 + 5);
  auto blocks = cut(bytes, 64);
  auto sums = checksums(blocks);
  ASSERT_EQ(sums.size(), 101u);
  for (size_t i = 0; i < blocks.size(); ++i)
    EXPECT_EQ(sums[i], checksum(blocks[i])) << i;
}

TEST(BlockChecksums, DoNotDependOnThePieces) {
  auto bytes = someBytes(1000);
  for (size_t block : {1, 7, 100, 1000, 4096})
    for (size_t piece : {1, 3, 100, 999, 1000}) {
      BlockChecksums sums(block);
      for (auto part : cut(bytes, piece))
        sums.add(part);
      EXPECT_EQ(sums.finish(), checksums(cut(bytes, block)))
          << "blocks of " << block << ", pieces of " << piece;
    }
  EXPECT_TRUE(BlockChecksums(7).finish().empty());
}

} // namespace
} // namespace tandem
