#pragma once

#include "support/Result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

/// The bytes of an artifact, whatever they mean. Little-endian:
///
///   Header
///   SectionEntry [numSections]
///   uint64 checksum of each block of each section, in order
///   sections, in the table's order, each at the next multiple of its
///   alignment, zeros between them, nothing after the last
///
/// A block is 1 MiB of a section, its last one shorter. Every byte is in a
/// block, in what the header's checksum covers, or zero; all are checked before
/// anything is read. The checksums are XXH3's 64 bits: they find damage, not
/// intent.
namespace tandem {

inline constexpr uint32_t artifactVersion = 2;
inline constexpr size_t checksumBlockInBytes = 1 << 20;
inline constexpr size_t artifactPageInBytes = 4096;

struct Section {
  std::string_view name; // up to 16 characters
  std::span<const std::byte> bytes;
  size_t alignment = 64; // in the file, and so, up to a page, in memory
};

/// Writes the file whole, or leaves what was there.
Result<void> writeSections(const std::filesystem::path &path,
                           std::span<const Section> sections);

/// The sections of a file by name, pointing into `file`. `alignmentOf` says how
/// each is aligned, or nothing for one that this version does not know. Fails,
/// without a name in front, on a file of another kind or version and on any
/// that was cut, extended or changed.
using SectionMap =
    std::map<std::string, std::span<const std::byte>, std::less<>>;
Result<SectionMap> readSections(std::span<const std::byte> file,
                                size_t (*alignmentOf)(std::string_view name));

} // namespace tandem
