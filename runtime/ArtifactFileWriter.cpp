#include "runtime/ArtifactLayout.h"

#include "support/Checksum.h"
#include "support/FileWriter.h"

#include <algorithm>
#include <vector>

namespace tandem {

namespace {

/// Where everything goes.
struct FileLayout {
  explicit FileLayout(std::span<const Section> sections) {
    prefixInBytes = sizeof(Header) + sections.size() * sizeof(SectionEntry);
    for (const Section &section : sections)
      prefixInBytes += numBlocks(section.sizeInBytes) * sizeof(uint64_t);
    fileSizeInBytes = prefixInBytes;
    for (const Section &section : sections) {
      SectionEntry entry{.offset = alignUp(fileSizeInBytes, section.alignment),
                         .sizeInBytes = section.sizeInBytes};
      std::ranges::copy(section.name, entry.name.begin());
      fileSizeInBytes = entry.offset + entry.sizeInBytes;
      entries.push_back(entry);
    }
  }

  std::vector<SectionEntry> entries;
  uint64_t prefixInBytes = 0; // everything in front of the sections
  uint64_t fileSizeInBytes = 0;
};

std::vector<std::byte> makePrefix(const FileLayout &layout,
                                  std::span<const uint64_t> sums) {
  Header header{.numSections = static_cast<uint32_t>(layout.entries.size()),
                .fileSizeInBytes = layout.fileSizeInBytes};
  std::vector<std::byte> prefix;
  for (auto part : {bytesOf(header), std::as_bytes(std::span(layout.entries)),
                    std::as_bytes(sums)})
    prefix.insert(prefix.end(), part.begin(), part.end());
  header.checksum = checksum(prefix);
  std::ranges::copy(bytesOf(header), prefix.begin());
  return prefix;
}

Result<void> writeZeros(FileWriter &file, uint64_t count) {
  std::vector<std::byte> zeros(count);
  return file.write(zeros);
}

/// Writes one section where the file ends; the checksums of its blocks.
Result<std::vector<uint64_t>> writeSection(FileWriter &file,
                                           const Section &section) {
  BlockChecksums sums(checksumBlockInBytes);
  uint64_t written = 0;
  auto done =
      section.write([&](std::span<const std::byte> bytes) -> Result<void> {
        sums.add(bytes);
        written += bytes.size();
        return file.write(bytes);
      });
  if (!done)
    return std::unexpected(done.error());
  if (written != section.sizeInBytes)
    return failure("{}: section {}: got {} bytes, expected {}",
                   file.path().string(), section.name, written,
                   section.sizeInBytes);
  return sums.finish();
}

} // namespace

Section sectionOf(std::string_view name, std::span<const std::byte> bytes,
                  size_t alignment) {
  return {name, bytes.size(),
          [bytes](const ByteSink &sink) { return sink(bytes); }, alignment};
}

Result<void> writeSections(const std::filesystem::path &path,
                           std::span<const Section> sections) {
  FileLayout layout(sections);
  auto file = FileWriter::create(path);
  if (!file)
    return std::unexpected(file.error());
  // Checksums are known last.
  if (auto written = writeZeros(*file, layout.prefixInBytes); !written)
    return written;
  uint64_t end = layout.prefixInBytes;
  std::vector<uint64_t> sums;
  for (size_t i = 0; i < sections.size(); ++i) {
    const SectionEntry &entry = layout.entries[i];
    if (auto written = writeZeros(*file, entry.offset - end); !written)
      return written;
    auto added = writeSection(*file, sections[i]);
    if (!added)
      return std::unexpected(added.error());
    sums.insert(sums.end(), added->begin(), added->end());
    end = entry.offset + entry.sizeInBytes;
  }
  if (auto written = file->rewriteStart(makePrefix(layout, sums)); !written)
    return written;
  return file->commit();
}

} // namespace tandem
