#pragma once

#include "support/Result.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace tandem {

/// A file mapped read-only; unmapped when the last owner lets go.
class MappedFile {
public:
  /// Fails with the path and the system's reason, also for a directory. An
  /// empty file maps to no bytes.
  static Result<std::shared_ptr<const MappedFile>>
  open(const std::filesystem::path &path);

  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data, size}; }

  /// Stops counting `part`, a piece of bytes(), and its surroundings as memory
  /// of this process. It stays readable: what is read again is mapped again.
  void release(std::span<const std::byte> part) const;

private:
  MappedFile(const std::byte *data, size_t size) : data(data), size(size) {}
  const std::byte *data;
  size_t size;
};

} // namespace tandem
