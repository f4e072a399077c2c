#pragma once

#include "backend/kernels/Kernel.h"

#include <string>
#include <unordered_map>

namespace tandem {

/// Kernels by what they were created for, so that equal steps share one. A
/// kernel may hold memory that a run writes: one pool of threads at a time may
/// run the kernels of a cache.
class KernelCache {
public:
  /// The kernel of that name for `spec`, created where there is none yet. It
  /// lives as long as the cache, or until clear().
  Result<const Kernel *> get(std::string_view name, const KernelSpec &spec);

  size_t size() const { return kernels.size(); }
  void clear() { kernels.clear(); }

private:
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels;
  std::string key; // kept for its memory
};

} // namespace tandem
