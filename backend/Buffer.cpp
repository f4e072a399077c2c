#include "backend/Buffer.h"

#include "support/Layout.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace tandem {

namespace {

constexpr int64_t hugePageBytes = int64_t{2} << 20;

std::byte *mapAnonymous(int64_t bytes) {
  void *address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte *>(address);
}

/// Maps more than is asked for, keeps what begins at a huge page.
std::byte *mapHugePages(int64_t bytes) {
  std::byte *begin = mapAnonymous(bytes + hugePageBytes);
  if (!begin)
    return nullptr;
  int64_t past = reinterpret_cast<uintptr_t>(begin) % hugePageBytes;
  int64_t skipped = past ? hugePageBytes - past : 0;
  constexpr int64_t pageBytes = 4096;
  int64_t kept = (bytes + pageBytes - 1) / pageBytes * pageBytes;
  if (skipped)
    ::munmap(begin, skipped);
  ::munmap(begin + skipped + kept, hugePageBytes - skipped);
  // Advice: without huge pages everything works, only slower.
  ::madvise(begin + skipped, kept, MADV_HUGEPAGE);
  return begin + skipped;
}

} // namespace

Result<void> MemoryTracker::add(int64_t bytes, std::string_view what) {
  int64_t before = current.load();
  do {
    if (limit && bytes > *limit - before)
      return failure("memory: {}: got {} bytes beside {} in use, expected at "
                     "most {} in all",
                     what, bytes, before, *limit);
  } while (!current.compare_exchange_weak(before, before + bytes));
  int64_t most = peak.load();
  while (most < before + bytes &&
         !peak.compare_exchange_weak(most, before + bytes)) {
  }
  return {};
}

static Result<std::byte *> mapZeros(int64_t bytes, std::string_view what) {
  std::byte *address =
      bytes >= hugePageBytes ? mapHugePages(bytes) : mapAnonymous(bytes);
  if (!address)
    return failure("memory: {}: got no {} bytes from the system: {}", what,
                   bytes, std::strerror(errno));
  return address;
}

Result<Buffer> Buffer::allocate(MemoryTracker &tracker, int64_t sizeInBytes,
                                std::string_view what) {
  Buffer buffer;
  if (sizeInBytes > 0)
    if (auto grown = buffer.grow(tracker, sizeInBytes, what); !grown)
      return std::unexpected(grown.error());
  return buffer;
}

Result<void> Buffer::grow(MemoryTracker &counts, int64_t bytes,
                          std::string_view what) {
  int64_t more = bytes - sizeInBytes;
  if (auto counted = counts.add(more, what); !counted)
    return counted;
  // Pages take memory when they are first touched, after the old ones are gone.
  auto mapped = mapZeros(bytes, what);
  if (!mapped) {
    counts.remove(more);
    return std::unexpected(mapped.error());
  }
  if (address)
    ::munmap(address, sizeInBytes);
  tracker = &counts;
  address = *mapped;
  sizeInBytes = bytes;
  return {};
}

Result<Buffer> Buffer::adopt(MemoryTracker &tracker,
                             std::shared_ptr<const MappedFile> file,
                             int64_t offset, int64_t sizeInBytes,
                             std::string_view what) {
  auto available = static_cast<int64_t>(file->bytes().size());
  if (offset < 0 || sizeInBytes < 0 || offset > available ||
      sizeInBytes > available - offset)
    return failure("{}: got {} bytes in the file, expected {} from byte {} on",
                   what, available, sizeInBytes, offset);
  if (offset % bufferAlignment != 0)
    return failure("{}: got offset {} in the file, expected a multiple of {}",
                   what, offset, bufferAlignment);
  Buffer buffer;
  if (auto counted = tracker.add(sizeInBytes, what); !counted)
    return std::unexpected(counted.error());
  buffer.tracker = &tracker;
  buffer.sizeInBytes = sizeInBytes;
  buffer.address = const_cast<std::byte *>(file->bytes().data()) + offset;
  buffer.file = std::move(file);
  return buffer;
}

Buffer::~Buffer() {
  if (address && !file)
    ::munmap(address, sizeInBytes);
  if (tracker)
    tracker->remove(sizeInBytes);
}

void Buffer::swap(Buffer &other) noexcept {
  std::swap(tracker, other.tracker);
  std::swap(file, other.file);
  std::swap(address, other.address);
  std::swap(sizeInBytes, other.sizeInBytes);
}

} // namespace tandem
