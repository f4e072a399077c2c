#pragma once

#include <cstdint>

namespace tandem {

/// The most rows that multiplyPanel takes.
inline constexpr int64_t maxPanelRows = 8;

/// Rows of x times one panel of a weight; the panel is read once, in address
/// order, so the speed is that of memory.
///   x [rows, depth], rows `xStride` apart; panel [depth, 64]; out [rows, 64]
void multiplyPanel(const float *x, int64_t xStride, int64_t rows,
                   const float *panel, int64_t depth, float *out);

} // namespace tandem
