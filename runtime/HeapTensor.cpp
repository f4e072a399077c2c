#include "runtime/HeapTensor.h"

#include <cstdlib>
#include <utility>

namespace tandem {

Result<HeapTensor> HeapTensor::allocate(MemoryTracker &tracker,
                                        int64_t sizeInBytes,
                                        std::string_view what) {
  constexpr int64_t alignment = 64;
  if (auto counted = tracker.add(sizeInBytes, what); !counted)
    return std::unexpected(counted.error());
  HeapTensor tensor;
  tensor.tracker = &tracker;
  tensor.sizeInBytes = sizeInBytes;
  int64_t whole = (sizeInBytes + alignment - 1) / alignment * alignment;
  tensor.address = std::aligned_alloc(alignment, whole);
  if (!tensor.address)
    return failure("memory: {}: got no {} bytes from the system", what,
                   sizeInBytes);
  return tensor;
}

void HeapTensor::swap(HeapTensor &other) noexcept {
  std::swap(tracker, other.tracker);
  std::swap(address, other.address);
  std::swap(sizeInBytes, other.sizeInBytes);
}

void HeapTensor::release() {
  std::free(address);
  if (tracker)
    tracker->remove(sizeInBytes);
  tracker = nullptr;
  address = nullptr;
  sizeInBytes = 0;
}

} // namespace tandem
