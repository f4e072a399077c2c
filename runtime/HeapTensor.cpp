#include "runtime/HeapTensor.h"

#include "support/Layout.h"

#include <cstdlib>
#include <utility>

namespace tandem {

Result<HeapTensor> HeapTensor::allocate(MemoryTracker &tracker,
                                        int64_t sizeInBytes,
                                        std::string_view what) {
  if (auto counted = tracker.add(sizeInBytes, what); !counted)
    return std::unexpected(counted.error());
  HeapTensor tensor;
  tensor.tracker = &tracker;
  tensor.sizeInBytes = sizeInBytes;
  int64_t whole =
      (sizeInBytes + bufferAlignment - 1) / bufferAlignment * bufferAlignment;
  tensor.address = std::aligned_alloc(bufferAlignment, whole);
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
