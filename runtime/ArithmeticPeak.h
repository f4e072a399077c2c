#pragma once

#include "support/TensorView.h"

namespace tandem {

/// Operations in 10^9 a second, two a multiply-add, that `numThreads` threads
/// do on elements of `type` (F32, BF16 or QInt8) held in registers, with the
/// fastest instructions that the processor has for them: tiles (AMX), dot
/// products of vectors (AVX-512 BF16, VNNI), or else f32. The best of a few
/// passes; takes some tenths of a second.
double peakGflops(ElementType type, int numThreads);

} // namespace tandem
