#include "support/FileWriter.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace tandem {

Result<FileWriter> FileWriter::create(const std::filesystem::path &name) {
  std::error_code ignored;
  // What a link leads to is written, not the link.
  std::filesystem::path path =
      std::filesystem::is_symlink(name, ignored)
          ? std::filesystem::weakly_canonical(name, ignored)
          : name;
  auto present = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(present) &&
      !std::filesystem::is_regular_file(present))
    return failure("{}: cannot write: got a {}, expected a file", path.string(),
                   std::filesystem::is_directory(present) ? "directory"
                                                          : "pipe or device");
  std::filesystem::path temporary = path;
  temporary += fmt::format(".partial-{}", ::getpid());
  int descriptor =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return failure("{}: cannot write: {}", path.string(), std::strerror(errno));
  return FileWriter(path, std::move(temporary), descriptor);
}

FileWriter::FileWriter(std::filesystem::path path,
                       std::filesystem::path temporary, int descriptor)
    : finalPath(std::move(path)), temporaryPath(std::move(temporary)),
      descriptor(descriptor) {}

FileWriter::FileWriter(FileWriter &&other) noexcept
    : finalPath(std::move(other.finalPath)),
      temporaryPath(std::move(other.temporaryPath)),
      descriptor(std::exchange(other.descriptor, -1)) {}

FileWriter &FileWriter::operator=(FileWriter &&other) noexcept {
  if (this != &other) {
    discard();
    finalPath = std::move(other.finalPath);
    temporaryPath = std::move(other.temporaryPath);
    descriptor = std::exchange(other.descriptor, -1);
  }
  return *this;
}

FileWriter::~FileWriter() { discard(); }

void FileWriter::discard() {
  if (descriptor < 0)
    return;
  ::close(std::exchange(descriptor, -1));
  ::unlink(temporaryPath.c_str());
}

Result<void> FileWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return failure("{}: cannot write: {}", finalPath.string(),
                     std::strerror(errno));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Result<void> FileWriter::write(std::string_view text) {
  return write(std::as_bytes(std::span(text)));
}

Result<void> FileWriter::commit() {
  // Closing is where some file systems report a full disk.
  bool closed = ::close(std::exchange(descriptor, -1)) == 0;
  if (closed && ::rename(temporaryPath.c_str(), finalPath.c_str()) == 0)
    return {};
  int reason = errno;
  ::unlink(temporaryPath.c_str());
  return failure("{}: cannot write: {}", finalPath.string(),
                 std::strerror(reason));
}

} // namespace tandem
