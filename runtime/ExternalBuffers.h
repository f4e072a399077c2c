#pragma once

#include "backend/Buffer.h"
#include "backend/Signature.h"

#include <span>

namespace tandem {

using PortSizes = std::array<int64_t, numPorts>; // bytes

/// The inputs and outputs that all programs of a session share: one buffer a
/// port, as large as the program that needs most of it.
class ExternalBuffers {
public:
  /// Makes every buffer at least as large as `sizes` says; contents are lost
  /// where one grows. Fails past the memory limit; some may then have grown,
  /// and none is smaller than it was.
  Result<void> reserve(MemoryTracker &memory, const PortSizes &sizes);

  PortAddresses addresses() const;
  int64_t sizeInBytes(Port port) const { return bufferOf(port).size(); }
  std::span<int32_t> ints(Port port) const { return as<int32_t>(port); }
  std::span<float> floats(Port port) const { return as<float>(port); }

private:
  const Buffer &bufferOf(Port port) const {
    return buffers[static_cast<size_t>(port)];
  }
  template <typename T> std::span<T> as(Port port) const {
    const Buffer &buffer = bufferOf(port);
    return {reinterpret_cast<T *>(buffer.data()), buffer.size() / sizeof(T)};
  }

  std::array<Buffer, numPorts> buffers;
};

} // namespace tandem
