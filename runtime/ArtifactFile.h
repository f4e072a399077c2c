#pragma once

#include "support/ByteSink.h"
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

inline constexpr uint32_t artifactVersion = 3;
inline constexpr size_t checksumBlockInBytes = 1 << 20;
inline constexpr size_t artifactPageInBytes = 4096;

struct Section {
  std::string_view name; // up to 16 characters
  uint64_t sizeInBytes = 0;
  /// Hands all of its bytes to a sink, in order.
  std::function<Result<void>(const ByteSink &)> write;
  size_t alignment = 64; // in the file, and so, up to a page, in memory
};

/// A section of bytes that are there; they must stay until it is written.
Section sectionOf(std::string_view name, std::span<const std::byte> bytes,
                  size_t alignment);

/// Writes the file whole, or leaves what was there. Sections are written one
/// after another as they come, so that none needs to be in memory.
Result<void> writeSections(const std::filesystem::path &path,
                           std::span<const Section> sections);

/// The sections of a file that somebody else keeps in memory.
class SectionFile {
public:
  /// Checks header, table and padding. `alignmentOf` says how each section is
  /// aligned, or nothing for one that this version does not know. Fails,
  /// without a name in front, on a file of another kind or version, of another
  /// size than it was written with, and where any of that was changed.
  static Result<SectionFile> open(std::span<const std::byte> file,
                                  size_t (*alignmentOf)(std::string_view name));

  bool contains(std::string_view name) const { return places.contains(name); }

  /// A section's bytes, in the file, after all of them have been checked. Fails
  /// where one was changed, or there is no such section.
  Result<std::span<const std::byte>> check(std::string_view name) const;

private:
  class Reader;
  struct Place {
    std::span<const std::byte> bytes;
    std::span<const std::byte> checksums; // 8 bytes a block
  };

  std::span<const std::byte> file;
  std::map<std::string, Place, std::less<>> places;
};

} // namespace tandem
