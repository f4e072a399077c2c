#pragma once

#include "runtime/ArtifactFile.h"

#include <array>
#include <bit>
#include <cstring>

/// What lies in front of the sections: see ArtifactFile.h.
namespace tandem {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::array<char, 8> artifactMagic = {'T', 'A', 'N',  'D',
                                                      'E', 'M', '\r', '\n'};
inline constexpr uint32_t maxSections = 64;

struct Header {
  std::array<char, 8> magic = artifactMagic;
  uint32_t version = artifactVersion;
  uint32_t numSections = 0;
  uint64_t fileSizeInBytes = 0;
  uint64_t checksum = 0; // of header, entries and checksums, this field zero
};
static_assert(sizeof(Header) == 32);

struct SectionEntry {
  std::array<char, 16> name = {}; // filled up with zeros
  uint64_t offset = 0, sizeInBytes = 0;
};
static_assert(sizeof(SectionEntry) == 32);

inline uint64_t alignUp(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Each has a checksum.
inline uint64_t numBlocks(uint64_t sizeInBytes) {
  return sizeInBytes / checksumBlockInBytes +
         (sizeInBytes % checksumBlockInBytes != 0);
}

template <typename T> std::span<const std::byte> bytesOf(const T &value) {
  return std::as_bytes(std::span(&value, 1));
}

inline std::string_view nameOf(const SectionEntry &entry) {
  return {entry.name.data(), strnlen(entry.name.data(), entry.name.size())};
}

} // namespace tandem
