#pragma once

#include "support/Result.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace tandem {

/// A file that appears under its name only when it is complete: written beside
/// it under a temporary name, then renamed over it.
class FileWriter {
public:
  /// Fails where the folder cannot be written to, and where `path` is there but
  /// is no regular file.
  static Result<FileWriter> create(const std::filesystem::path &path);

  FileWriter(FileWriter &&other) noexcept;
  FileWriter &operator=(FileWriter &&other) noexcept;
  /// Without commit(), removes what was written.
  ~FileWriter();

  Result<void> write(std::span<const std::byte> bytes);
  Result<void> write(std::string_view text);
  Result<void> commit();

  const std::filesystem::path &path() const { return finalPath; }

private:
  FileWriter(std::filesystem::path path, std::filesystem::path temporary,
             int descriptor);
  void discard();

  std::filesystem::path finalPath, temporaryPath;
  int descriptor; // -1 once committed or moved from
};

} // namespace tandem
