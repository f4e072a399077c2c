#include "backend/kernels/NarrowDots.h"

#include "backend/kernels/CpuLevel.h"

namespace tandem {

bool hasNarrowDots() {
  static const bool has = __builtin_cpu_supports("avx512bf16") &&
                          __builtin_cpu_supports("avx512vnni");
  return has && cpuLevel() && *cpuLevel() == CpuLevel::V4;
}

} // namespace tandem
