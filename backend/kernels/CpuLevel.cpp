#include "backend/kernels/CpuLevel.h"

#include <cstdlib>
#include <utility>

namespace tandem {

static constexpr std::pair<std::string_view, CpuLevel> levels[] = {
    {"v2", CpuLevel::V2}, {"v3", CpuLevel::V3}, {"v4", CpuLevel::V4}};

std::string_view cpuLevelName(CpuLevel level) {
  return levels[static_cast<size_t>(level)].first;
}

Result<CpuLevel> hostCpuLevel() {
  if (__builtin_cpu_supports("x86-64-v4"))
    return CpuLevel::V4;
  if (__builtin_cpu_supports("x86-64-v3"))
    return CpuLevel::V3;
  if (__builtin_cpu_supports("x86-64-v2"))
    return CpuLevel::V2;
  return failure("processor: got one below x86-64-v2, expected x86-64-v2 or "
                 "above (SSE4.2)");
}

Result<CpuLevel> limitCpuLevel(CpuLevel host, std::string_view name) {
  for (auto [known, level] : levels) {
    if (known != name)
      continue;
    if (level > host)
      return failure("TANDEM_CPU_LEVEL: got {}, expected at most {}, which is "
                     "what this processor has",
                     name, cpuLevelName(host));
    return level;
  }
  return failure("TANDEM_CPU_LEVEL: got '{}', expected v2, v3 or v4", name);
}

const Result<CpuLevel> &cpuLevel() {
  static const Result<CpuLevel> level = [] {
    Result<CpuLevel> host = hostCpuLevel();
    const char *name = std::getenv("TANDEM_CPU_LEVEL");
    return host && name ? limitCpuLevel(*host, name) : host;
  }();
  return level;
}

} // namespace tandem
