#pragma once

#include "backend/kernels/CpuLevel.h"

#include <cstddef>

namespace tandem {

/// One function compiled for every CpuLevel:
///
///   [[gnu::always_inline]] inline void addRowBody(const float *a, ...) {...}
///
///   void addRow(const float *a, ...) {
///     MultiVersion<addRowBody>::call(a, ...);
///   }
///
/// `body` and what it calls are inlined into each version and take its
/// instructions; what is not inlined has those of plain x86-64. GCC's own
/// target_clones chooses in the loader, before anything could limit the level
/// and before a sanitizer's runtime is there; here every call chooses.
///
/// A function for instructions beyond a level has a
/// [[gnu::target("arch=x86-64-v4,...")]] of its own.
template <auto body> struct MultiVersion;

template <typename Return, typename... Arguments, Return (*body)(Arguments...)>
struct MultiVersion<body> {
  /// body(arguments...) with the instructions of cpuLevel(), which is known
  /// wherever a kernel exists; elsewhere, where it is not, with the least.
  static Return call(Arguments... arguments) {
    CpuLevel level = cpuLevel().value_or(CpuLevel::V2);
    return versions[static_cast<size_t>(level)](arguments...);
  }

private:
  [[gnu::target("arch=x86-64-v2")]] static Return v2(Arguments... arguments) {
    return body(arguments...);
  }
  [[gnu::target("arch=x86-64-v3")]] static Return v3(Arguments... arguments) {
    return body(arguments...);
  }
  [[gnu::target("arch=x86-64-v4")]] static Return v4(Arguments... arguments) {
    return body(arguments...);
  }

  using Version = Return(Arguments...);
  static constexpr Version *versions[] = {v2, v3, v4};
};

} // namespace tandem
