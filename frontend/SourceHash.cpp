#include "frontend/SourceHash.h"

#include "support/Checksum.h"
#include "support/MappedFile.h"

#include <algorithm>
#include <vector>

namespace tandem {

/// Appends the checksum of each block of `file`.
static void hashBlocks(const MappedFile &file, std::vector<uint64_t> &sums) {
  constexpr size_t blockInBytes = 1 << 20, windowInBytes = 16 << 20;
  auto bytes = file.bytes();
  for (size_t begin = 0; begin < bytes.size(); begin += windowInBytes) {
    auto window =
        bytes.subspan(begin, std::min(windowInBytes, bytes.size() - begin));
    std::vector<std::span<const std::byte>> blocks;
    for (size_t at = 0; at < window.size(); at += blockInBytes)
      blocks.push_back(
          window.subspan(at, std::min(blockInBytes, window.size() - at)));
    std::ranges::copy(checksums(blocks), std::back_inserter(sums));
    file.release(window);
  }
  sums.push_back(bytes.size()); // where one file ends and the next begins
}

Result<uint64_t> sourceHash(std::span<const std::filesystem::path> files) {
  std::vector<uint64_t> sums;
  for (const std::filesystem::path &path : files) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      sums.push_back(0);
      continue;
    }
    auto file = MappedFile::open(path);
    if (!file)
      return std::unexpected(file.error());
    hashBlocks(**file, sums);
  }
  return checksum(std::as_bytes(std::span(sums)));
}

} // namespace tandem
