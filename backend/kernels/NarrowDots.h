#pragma once

namespace tandem {

/// Whether kernels may use the processor's products of pairs of bf16 and of
/// quads of bytes: AVX512_BF16 and AVX512_VNNI, both beyond CpuLevel::V4.
bool hasNarrowDots();

} // namespace tandem
