#pragma once

#include "support/Activation.h"

#include <cstdint>
#include <optional>

namespace tandem {

/// out[i] = activation(in[i]) for i < count; may be in place.
void activate(Activation activation, const float *in, float *out,
              int64_t count);

/// What a linear does to a tile of its product on the way to the output.
struct Epilogue {
  /// Of quantised operands, whose products are int32; else none.
  const float *rowScales = nullptr, *columnScales = nullptr;
  const float *bias = nullptr;     // [columns], or none
  const float *residual = nullptr; // rows `outStride` apart, or none
  std::optional<Activation> activation = {};
};

/// A tile of f32, or of int32: rows `stride` elements apart.
struct TileShape {
  int64_t rows = 0, columns = 0, stride = 0;
};

/// out = activation(tile [* row scale * column scale] + bias) + residual; `out`
/// may be the residual.
void finishTile(const Epilogue &epilogue, const void *tile,
                const TileShape &shape, float *out, int64_t outStride);

} // namespace tandem
