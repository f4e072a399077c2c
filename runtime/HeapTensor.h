#pragma once

#include "backend/Buffer.h"

namespace tandem {

/// Memory of one tensor of an eager program: from the heap, as any eager
/// framework takes it; aligned to 64 bytes, with arbitrary contents, counted
/// while it lives.
class HeapTensor {
public:
  HeapTensor() = default;
  /// Fails, naming `what`, past the tracker's limit or where there is no more.
  static Result<HeapTensor>
  allocate(MemoryTracker &tracker, int64_t sizeInBytes, std::string_view what);
  HeapTensor(HeapTensor &&other) noexcept { swap(other); }
  HeapTensor &operator=(HeapTensor &&other) noexcept {
    swap(other);
    return *this;
  }
  ~HeapTensor() { release(); }

  /// Frees the memory, if there is any.
  void release();

  void *data() const { return address; }

private:
  void swap(HeapTensor &other) noexcept;

  MemoryTracker *tracker = nullptr;
  void *address = nullptr;
  int64_t sizeInBytes = 0;
};

} // namespace tandem
