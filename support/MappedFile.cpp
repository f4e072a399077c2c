#include "support/MappedFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tandem {

namespace {

struct FileDescriptor {
  int number;
  ~FileDescriptor() {
    if (number >= 0)
      ::close(number);
  }
};

} // namespace

Result<std::shared_ptr<const MappedFile>>
MappedFile::open(const std::filesystem::path &path) {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status;
  if (file.number < 0 || ::fstat(file.number, &status) != 0)
    return failure("{}: cannot open: {}", path.string(), std::strerror(errno));
  if (S_ISDIR(status.st_mode))
    return failure("{}: got a directory, expected a file", path.string());
  if (!S_ISREG(status.st_mode))
    return failure("{}: got a pipe or device, expected a regular file",
                   path.string());

  auto size = static_cast<size_t>(status.st_size);
  if (size == 0)
    return std::shared_ptr<const MappedFile>(new MappedFile(nullptr, 0));
  void *address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (address == MAP_FAILED)
    return failure("{}: cannot map {} bytes: {}", path.string(), size,
                   std::strerror(errno));
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const std::byte *>(address), size));
}

void MappedFile::release(std::span<const std::byte> part) const {
  // As much as the system maps around one page that is read.
  constexpr size_t aroundInBytes = 64 << 10;
  size_t offset = part.data() - data;
  size_t begin = offset / aroundInBytes * aroundInBytes;
  size_t end = (offset + part.size() + aroundInBytes - 1) / aroundInBytes *
               aroundInBytes;
  if (data)
    ::madvise(const_cast<std::byte *>(data) + begin,
              std::min(end, size) - begin, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (data)
    ::munmap(const_cast<std::byte *>(data), size);
}

} // namespace tandem
