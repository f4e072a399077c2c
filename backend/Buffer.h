#pragma once

#include "support/MappedFile.h"
#include "support/Result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace tandem {

/// Counts the bytes that tensors take: weights, KV cache, activations, inputs
/// and outputs. It counts what is allocated and never looks at a plan, so that
/// a plan can be checked against it. Any thread may use it at any time.
class MemoryTracker {
public:
  explicit MemoryTracker(std::optional<int64_t> limit = {}) : limit(limit) {}
  MemoryTracker(const MemoryTracker &) = delete;
  MemoryTracker &operator=(const MemoryTracker &) = delete;

  /// What there may be at a time; call it before other threads count. What is
  /// counted already stays.
  void setLimit(int64_t bytes) { limit = bytes; }

  /// Counts `bytes` for `what` ("KV cache"). Fails, counting nothing, where
  /// that would go past the limit.
  Result<void> add(int64_t bytes, std::string_view what);
  void remove(int64_t bytes) { current.fetch_sub(bytes); }

  int64_t currentBytes() const { return current; }
  /// The most there have been at a time, or since restartPeak().
  int64_t peakBytes() const { return peak; }
  /// No other thread may count meanwhile.
  void restartPeak() { peak = current.load(); }

private:
  std::atomic<int64_t> current = 0, peak = 0;
  std::optional<int64_t> limit;
};

/// Page-aligned memory, counted while it lives. Its tracker must outlive it.
class Buffer {
public:
  /// No bytes.
  Buffer() = default;
  /// Zeros, on huge pages where it is large enough for one. Fails, naming
  /// `what`, past the tracker's limit or where the system has no more.
  static Result<Buffer> allocate(MemoryTracker &tracker, int64_t sizeInBytes,
                                 std::string_view what);
  /// Bytes `offset` to `offset + sizeInBytes` of a file, without a copy: they
  /// must not be written to. Fails where the file is shorter, or `offset` is
  /// not a multiple of bufferAlignment.
  static Result<Buffer> adopt(MemoryTracker &tracker,
                              std::shared_ptr<const MappedFile> file,
                              int64_t offset, int64_t sizeInBytes,
                              std::string_view what);

  /// Makes room for `sizeInBytes`, no fewer than there are; what they held is
  /// lost. Old and new are never in use together, so only the difference
  /// counts. Fails as allocate() does, and then nothing has changed.
  Result<void> grow(MemoryTracker &tracker, int64_t sizeInBytes,
                    std::string_view what);

  Buffer(Buffer &&other) noexcept { swap(other); }
  Buffer &operator=(Buffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  std::byte *data() const { return address; }
  int64_t size() const { return sizeInBytes; }

private:
  void swap(Buffer &other) noexcept;

  MemoryTracker *tracker = nullptr;
  std::shared_ptr<const MappedFile> file; // or memory of our own
  std::byte *address = nullptr;
  int64_t sizeInBytes = 0;
};

} // namespace tandem
