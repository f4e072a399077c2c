#include "runtime/ArtifactLayout.h"

#include "support/Checksum.h"

#include <algorithm>
#include <vector>

namespace tandem {

class SectionFile::Reader {
public:
  explicit Reader(std::span<const std::byte> file) : file(file) {
    result.file = file;
  }

  Result<SectionFile> read(size_t (*alignmentOf)(std::string_view)) {
    if (auto ok = readHeader(); !ok)
      return std::unexpected(ok.error());
    if (auto ok = readPrefix(); !ok)
      return std::unexpected(ok.error());
    if (auto ok = readEntries(alignmentOf); !ok)
      return std::unexpected(ok.error());
    return std::move(result);
  }

private:
  template <typename T> T at(uint64_t offset) const {
    T value;
    std::memcpy(&value, file.data() + offset, sizeof(T));
    return value;
  }

  Result<void> readHeader() {
    size_t known = std::min(file.size(), artifactMagic.size());
    if (known == 0 ||
        std::memcmp(file.data(), artifactMagic.data(), known) != 0)
      return failure("got a file of another kind, expected a compiled model");
    if (file.size() < sizeof(Header))
      return failure("got {} bytes, expected at least {}: the file was cut",
                     file.size(), sizeof(Header));
    header = at<Header>(0);
    if (header.version != artifactVersion)
      return failure("format: got version {}, expected {}", header.version,
                     artifactVersion);
    if (header.fileSizeInBytes != file.size())
      return failure("got {} bytes, expected {}: the file was cut or changed",
                     file.size(), header.fileSizeInBytes);
    return {};
  }

  /// The table and the checksums, nothing of which counts before this.
  Result<void> readPrefix() {
    auto damaged = failure("header: got a checksum of other content: the file "
                           "is damaged");
    if (header.numSections > maxSections ||
        file.size() <
            sizeof(Header) + header.numSections * sizeof(SectionEntry))
      return damaged;
    uint64_t end = sizeof(Header), count = 0;
    for (uint32_t i = 0; i < header.numSections; ++i) {
      entries.push_back(at<SectionEntry>(end));
      end += sizeof(SectionEntry);
      if (entries.back().sizeInBytes > file.size())
        return damaged;
      count += numBlocks(entries.back().sizeInBytes);
    }
    checksumsAt = end;
    end += count * sizeof(uint64_t);
    if (end > file.size())
      return damaged;
    auto bytes = file.first(end);
    std::vector<std::byte> prefix(bytes.begin(), bytes.end());
    Header blank = header;
    blank.checksum = 0;
    std::ranges::copy(bytesOf(blank), prefix.begin());
    if (checksum(prefix) != header.checksum)
      return damaged;
    prefixEnd = end;
    return {};
  }

  /// Sections lie where their sizes put them, so that every byte is known.
  Result<void> readEntries(size_t (*alignmentOf)(std::string_view)) {
    uint64_t end = prefixEnd, sumsAt = checksumsAt;
    for (const SectionEntry &entry : entries) {
      size_t alignment = alignmentOf(nameOf(entry));
      if (alignment == 0 || result.contains(nameOf(entry)))
        return failure("sections: got one that is unknown or there twice");
      uint64_t offset = alignUp(end, alignment);
      if (entry.offset != offset || offset > file.size() ||
          entry.sizeInBytes > file.size() - offset)
        return failure("section {}: got offset {} and {} bytes, expected "
                       "offset {}, within the file's {} bytes",
                       nameOf(entry), entry.offset, entry.sizeInBytes, offset,
                       file.size());
      for (std::byte padding : file.subspan(end, offset - end))
        if (padding != std::byte{0})
          return failure("section {}: got bytes in front of it, expected "
                         "zeros: the file is damaged",
                         nameOf(entry));
      end = offset + entry.sizeInBytes;
      uint64_t sumsInBytes = numBlocks(entry.sizeInBytes) * sizeof(uint64_t);
      result.places.emplace(nameOf(entry),
                            Place{file.subspan(offset, entry.sizeInBytes),
                                  file.subspan(sumsAt, sumsInBytes)});
      sumsAt += sumsInBytes;
    }
    if (end != file.size())
      return failure("got {} bytes, expected {}", file.size(), end);
    return {};
  }

  std::span<const std::byte> file;
  Header header;
  std::vector<SectionEntry> entries;
  uint64_t checksumsAt = 0, prefixEnd = 0;
  SectionFile result;
};

Result<SectionFile> SectionFile::open(std::span<const std::byte> file,
                                      size_t (*alignmentOf)(std::string_view)) {
  return Reader(file).read(alignmentOf);
}

Result<std::span<const std::byte>>
SectionFile::check(std::string_view name) const {
  auto found = places.find(name);
  if (found == places.end())
    return failure("{}: got no such section, expected one", name);
  const auto &[bytes, stored] = found->second;
  std::vector<std::span<const std::byte>> blocks;
  for (size_t at = 0; at < bytes.size(); at += checksumBlockInBytes)
    blocks.push_back(
        bytes.subspan(at, std::min(checksumBlockInBytes, bytes.size() - at)));
  std::vector<uint64_t> sums = checksums(blocks);
  for (size_t i = 0; i < blocks.size(); ++i) {
    uint64_t expected;
    std::memcpy(&expected, stored.data() + i * sizeof expected,
                sizeof expected);
    if (sums[i] != expected)
      return failure("section {}: {} bytes at {}: got checksum {:016x}, "
                     "expected {:016x}: the file is damaged",
                     name, blocks[i].size(), blocks[i].data() - file.data(),
                     sums[i], expected);
  }
  return bytes;
}

} // namespace tandem
