#include "runtime/ExternalBuffers.h"

namespace tandem {

Result<void> ExternalBuffers::reserve(MemoryTracker &memory,
                                      const PortSizes &sizes) {
  for (size_t i = 0; i < numPorts; ++i) {
    if (buffers[i].size() >= sizes[i])
      continue;
    buffers[i] = Buffer(); // before the new one counts
    auto grown = Buffer::allocate(memory, sizes[i], name(static_cast<Port>(i)));
    if (!grown)
      return std::unexpected(grown.error());
    buffers[i] = std::move(*grown);
  }
  return {};
}

PortAddresses ExternalBuffers::addresses() const {
  PortAddresses result;
  for (size_t i = 0; i < numPorts; ++i)
    result[i] = buffers[i].data();
  return result;
}

} // namespace tandem
