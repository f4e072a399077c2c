#pragma once

#include "support/Result.h"

#include <cstdint>
#include <string_view>

namespace tandem {

/// The levels of the x86-64 psABI that kernels are compiled for, each with all
/// instructions of those before it: V2 has SSE4.2, V3 AVX2 and FMA, V4 AVX-512
/// (F, BW, CD, DQ, VL). In the order of `MultiVersion`'s versions.
enum class CpuLevel : uint8_t { V2, V3, V4 };

/// "v2", "v3" or "v4".
std::string_view cpuLevelName(CpuLevel level);

/// The highest level that this processor and its operating system have. Fails
/// below V2, which no kernel is compiled for.
Result<CpuLevel> hostCpuLevel();

/// `host`, or the level that `name` limits it to. Fails for a name that no
/// level has, and for a level above `host`.
Result<CpuLevel> limitCpuLevel(CpuLevel host, std::string_view name);

/// The level that every kernel of this process runs at: this processor's,
/// unless the environment variable TANDEM_CPU_LEVEL names a lower one. Both are
/// looked at by the first call; from any thread. Where this fails, no kernel is
/// created.
const Result<CpuLevel> &cpuLevel();

} // namespace tandem
