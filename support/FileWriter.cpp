#include "support/FileWriter.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace tandem {

namespace {

constexpr std::string_view partial = ".partial-";

/// Holds back every signal that can be, while it lives.
class SignalsHeld {
public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  SignalsHeld(const SignalsHeld &) = delete;
  SignalsHeld &operator=(const SignalsHeld &) = delete;

private:
  sigset_t before;
};

/// How the system calls a file that this process has open.
std::string descriptorPath(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

/// A file in `folder` without a name, which can be given one; -1 where the
/// system has none.
int openUnnamed(const std::filesystem::path &folder) {
  int descriptor = ::open(folder.empty() ? "." : folder.c_str(),
                          O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0 || ::access(descriptorPath(descriptor).c_str(), F_OK) == 0)
    return descriptor;
  ::close(descriptor); // without /proc there is no way to name it
  return -1;
}

} // namespace

Result<FileWriter> FileWriter::create(const std::filesystem::path &name) {
  std::error_code ignored;
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
  temporary += fmt::format("{}{}", partial, ::getpid());
  FileWriter writer(std::move(path), std::move(temporary));
  if (!writer.open())
    return failure("{}: cannot write: {}", writer.finalPath.string(),
                   std::strerror(errno));
  return writer;
}

bool FileWriter::isLeftover(const std::filesystem::path &path) {
  std::string name = path.filename().string();
  size_t at = name.rfind(partial);
  return at != std::string::npos && at + partial.size() < name.size() &&
         name.find_first_not_of("0123456789", at + partial.size()) ==
             std::string::npos;
}

FileWriter::FileWriter(std::filesystem::path path,
                       std::filesystem::path temporary)
    : finalPath(std::move(path)), temporaryPath(std::move(temporary)) {}

bool FileWriter::open() {
  descriptor = openUnnamed(finalPath.parent_path());
  hasName = descriptor < 0;
  if (hasName)
    descriptor = ::open(temporaryPath.c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return descriptor >= 0;
}

FileWriter::FileWriter(FileWriter &&other) noexcept
    : finalPath(std::move(other.finalPath)),
      temporaryPath(std::move(other.temporaryPath)),
      descriptor(std::exchange(other.descriptor, -1)), hasName(other.hasName) {}

FileWriter &FileWriter::operator=(FileWriter &&other) noexcept {
  if (this != &other) {
    discard();
    finalPath = std::move(other.finalPath);
    temporaryPath = std::move(other.temporaryPath);
    descriptor = std::exchange(other.descriptor, -1);
    hasName = other.hasName;
  }
  return *this;
}

FileWriter::~FileWriter() { discard(); }

void FileWriter::discard() {
  if (descriptor < 0)
    return;
  ::close(std::exchange(descriptor, -1));
  if (hasName)
    ::unlink(temporaryPath.c_str());
}

Error FileWriter::writeError() const {
  return {fmt::format("{}: cannot write: {}", finalPath.string(),
                      std::strerror(errno))};
}

Result<void> FileWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return std::unexpected(writeError());
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Result<void> FileWriter::write(std::string_view text) {
  return write(std::as_bytes(std::span(text)));
}

Result<void> FileWriter::rewriteStart(std::span<const std::byte> bytes) {
  off_t end = ::lseek(descriptor, 0, SEEK_CUR);
  if (end < 0 || ::lseek(descriptor, 0, SEEK_SET) < 0)
    return std::unexpected(writeError());
  if (auto written = write(bytes); !written)
    return written;
  if (::lseek(descriptor, end, SEEK_SET) < 0)
    return std::unexpected(writeError());
  return {};
}

Result<void> FileWriter::commit() {
  if (hasName ? commitNamed() : commitUnnamed())
    return {};
  int reason = errno;
  discard();
  return failure("{}: cannot write: {}", finalPath.string(),
                 std::strerror(reason));
}

bool FileWriter::commitNamed() {
  // Closing is where some file systems report a full disk.
  if (::close(std::exchange(descriptor, -1)) == 0 &&
      ::rename(temporaryPath.c_str(), finalPath.c_str()) == 0)
    return true;
  int reason = errno;
  ::unlink(temporaryPath.c_str());
  errno = reason;
  return false;
}

bool FileWriter::commitUnnamed() {
  std::string unnamed = descriptorPath(descriptor);
  auto nameIt = [&](const std::filesystem::path &path) {
    return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
  };
  if (nameIt(finalPath)) {
    ::close(std::exchange(descriptor, -1));
    return true;
  }
  if (errno != EEXIST)
    return false;
  SignalsHeld held;
  ::unlink(temporaryPath.c_str()); // of a process that had this number before
  hasName = nameIt(temporaryPath);
  return hasName && commitNamed();
}

} // namespace tandem
