#include "runtime/ExternalBuffers.h"

namespace tandem {

Result<void> ExternalBuffers::reserve(MemoryTracker &memory,
                                      const PortSizes &sizes) {
  for (size_t i = 0; i < numPorts; ++i) {
    if (buffers[i].size() >= sizes[i])
      continue;
    if (auto grown =
            buffers[i].grow(memory, sizes[i], name(static_cast<Port>(i)));
        !grown)
      return grown;
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
