#pragma once

#include "backend/Packing.h"

namespace tandem {

/// Share `share` of `shares` of the panels of a constant in bf16, qint8 or
/// qint4, padding and scales included: each channel is collected from all
/// sources in f32, made narrow as a whole, and laid among the others.
void packNarrowShare(const Packing &packing, std::byte *out, int64_t share,
                     int64_t shares);

} // namespace tandem
