#pragma once

#include "support/Result.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace tandem {

/// A file that appears under its name only when it is complete.
///
/// Until then it has no name at all (O_TMPFILE), so that whatever ends the
/// process, a signal or a crash, the system takes it back. A file that is there
/// is replaced by renaming: for the two calls that takes, with signals held
/// back, the new one is beside it, complete, under a temporary name.
///
/// Some network and overlay file systems have no files without a name. There
/// it is written under the temporary name, `NAME.partial-PID`, and that is what
/// a process that is killed leaves behind.
class FileWriter {
public:
  /// Fails where the folder cannot be written to, and where `path` is there but
  /// is no regular file. What a link leads to is written, not the link.
  static Result<FileWriter> create(const std::filesystem::path &path);

  /// Whether a name is a temporary one.
  static bool isLeftover(const std::filesystem::path &path);

  FileWriter(FileWriter &&other) noexcept;
  FileWriter &operator=(FileWriter &&other) noexcept;
  /// Without commit(), removes what was written.
  ~FileWriter();

  Result<void> write(std::span<const std::byte> bytes);
  Result<void> write(std::string_view text);
  /// Writes over the first bytes; write() goes on where it was.
  Result<void> rewriteStart(std::span<const std::byte> bytes);
  Result<void> commit();

  const std::filesystem::path &path() const { return finalPath; }

private:
  FileWriter(std::filesystem::path path, std::filesystem::path temporary);
  bool open();
  bool commitNamed();
  bool commitUnnamed();
  void discard();
  Error writeError() const;

  std::filesystem::path finalPath, temporaryPath;
  int descriptor = -1;  // -1 once committed or moved from
  bool hasName = false; // the temporary one
};

} // namespace tandem
