#include "runtime/ArtifactFile.h"

#include "support/Checksum.h"
#include "support/FileWriter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

namespace tandem {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<char, 8> artifactMagic = {'T', 'A', 'N',  'D',
                                               'E', 'M', '\r', '\n'};
constexpr uint32_t maxSections = 64;

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

uint64_t alignUp(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

uint64_t numBlocks(uint64_t sizeInBytes) {
  return sizeInBytes / checksumBlockInBytes +
         (sizeInBytes % checksumBlockInBytes != 0);
}

template <typename T> std::span<const std::byte> bytesOf(const T &value) {
  return std::as_bytes(std::span(&value, 1));
}

std::string_view nameOf(const SectionEntry &entry) {
  return {entry.name.data(), strnlen(entry.name.data(), entry.name.size())};
}

void appendBlocks(std::span<const std::byte> bytes,
                  std::vector<std::span<const std::byte>> &blocks) {
  for (size_t at = 0; at < bytes.size(); at += checksumBlockInBytes)
    blocks.push_back(
        bytes.subspan(at, std::min(checksumBlockInBytes, bytes.size() - at)));
}

/// Everything in front of the sections.
std::vector<std::byte> makePrefix(std::span<const Section> sections) {
  std::vector<std::span<const std::byte>> blocks;
  for (const Section &section : sections)
    appendBlocks(section.bytes, blocks);
  std::vector<uint64_t> sums = checksums(blocks);

  Header header{.numSections = static_cast<uint32_t>(sections.size())};
  uint64_t end = sizeof(Header) + sections.size() * sizeof(SectionEntry) +
                 sums.size() * sizeof(uint64_t);
  std::vector<SectionEntry> entries;
  for (const Section &section : sections) {
    SectionEntry entry{.offset = alignUp(end, section.alignment),
                       .sizeInBytes = section.bytes.size()};
    std::ranges::copy(section.name, entry.name.begin());
    end = entry.offset + entry.sizeInBytes;
    entries.push_back(entry);
  }
  header.fileSizeInBytes = end;

  std::vector<std::byte> prefix;
  for (auto part : {bytesOf(header), std::as_bytes(std::span(entries)),
                    std::as_bytes(std::span(sums))})
    prefix.insert(prefix.end(), part.begin(), part.end());
  header.checksum = checksum(prefix);
  std::ranges::copy(bytesOf(header), prefix.begin());
  return prefix;
}

} // namespace

Result<void> writeSections(const std::filesystem::path &path,
                           std::span<const Section> sections) {
  static constexpr std::byte zeros[artifactPageInBytes] = {};
  std::vector<std::byte> prefix = makePrefix(sections);
  auto file = FileWriter::create(path);
  if (!file)
    return std::unexpected(file.error());
  if (auto written = file->write(prefix); !written)
    return written;
  uint64_t end = prefix.size();
  for (const Section &section : sections) {
    uint64_t offset = alignUp(end, section.alignment);
    if (auto written = file->write(std::span(zeros).first(offset - end));
        !written)
      return written;
    if (auto written = file->write(section.bytes); !written)
      return written;
    end = offset + section.bytes.size();
  }
  return file->commit();
}

namespace {

class Reader {
public:
  explicit Reader(std::span<const std::byte> file) : file(file) {}

  Result<SectionMap> read(size_t (*alignmentOf)(std::string_view)) {
    if (auto ok = readHeader(); !ok)
      return std::unexpected(ok.error());
    if (auto ok = readPrefix(); !ok)
      return std::unexpected(ok.error());
    if (auto ok = readEntries(alignmentOf); !ok)
      return std::unexpected(ok.error());
    if (auto ok = checkBlocks(); !ok)
      return std::unexpected(ok.error());
    return std::move(sections);
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
    uint64_t end = prefixEnd;
    for (const SectionEntry &entry : entries) {
      size_t alignment = alignmentOf(nameOf(entry));
      if (alignment == 0 || sections.contains(nameOf(entry)))
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
      sections.emplace(nameOf(entry), file.subspan(offset, entry.sizeInBytes));
    }
    if (end != file.size())
      return failure("got {} bytes, expected {}", file.size(), end);
    return {};
  }

  Result<void> checkBlocks() const {
    std::vector<std::span<const std::byte>> blocks;
    std::vector<std::string_view> owners;
    for (const SectionEntry &entry : entries) {
      appendBlocks(file.subspan(entry.offset, entry.sizeInBytes), blocks);
      owners.resize(blocks.size(), nameOf(entry));
    }
    std::vector<uint64_t> sums = checksums(blocks);
    for (size_t i = 0; i < blocks.size(); ++i) {
      auto expected = at<uint64_t>(checksumsAt + i * sizeof(uint64_t));
      if (sums[i] != expected)
        return failure("section {}: {} bytes at {}: got checksum {:016x}, "
                       "expected {:016x}: the file is damaged",
                       owners[i], blocks[i].size(),
                       blocks[i].data() - file.data(), sums[i], expected);
    }
    return {};
  }

  std::span<const std::byte> file;
  Header header;
  std::vector<SectionEntry> entries;
  uint64_t checksumsAt = 0, prefixEnd = 0;
  SectionMap sections;
};

} // namespace

Result<SectionMap> readSections(std::span<const std::byte> file,
                                size_t (*alignmentOf)(std::string_view name)) {
  return Reader(file).read(alignmentOf);
}

} // namespace tandem
