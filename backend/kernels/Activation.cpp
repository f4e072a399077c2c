#include "backend/kernels/Activation.h"

#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/VectorMath.h"

namespace tandem {

using namespace vectors;

namespace {

[[gnu::always_inline]] inline Floats16 unchanged(Floats16 x) { return x; }

/// One row: out = activation(in + bias) + residual.
template <auto activation>
[[gnu::always_inline]] inline void finishRow(const float *in, const float *bias,
                                             const float *residual, float *out,
                                             int64_t count) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Floats16 v = load(in + i);
    if (bias)
      v += load(bias + i);
    v = activation(v);
    if (residual)
      v += load(residual + i);
    store(out + i, v);
  }
  if (i == count)
    return;
  Floats16 v = loadFirst(in + i, count - i);
  if (bias)
    v += loadFirst(bias + i, count - i);
  v = activation(v);
  if (residual)
    v += loadFirst(residual + i, count - i);
  storeFirst(out + i, v, count - i);
}

template <auto activation>
[[gnu::always_inline]] inline void
finishRows(const Epilogue &epilogue, const float *tile, const TileShape &shape,
           float *out, int64_t outStride) {
  for (int64_t row = 0; row < shape.rows; ++row) {
    const float *residual =
        epilogue.residual ? epilogue.residual + row * outStride : nullptr;
    finishRow<activation>(tile + row * shape.stride, epilogue.bias, residual,
                          out + row * outStride, shape.columns);
  }
}

[[gnu::always_inline]] inline void
finishTileBody(const Epilogue &epilogue, const float *tile,
               const TileShape &shape, float *out, int64_t outStride) {
  if (!epilogue.activation)
    return finishRows<unchanged>(epilogue, tile, shape, out, outStride);
  switch (*epilogue.activation) {
  case Activation::GeluTanh:
    return finishRows<geluTanh>(epilogue, tile, shape, out, outStride);
  case Activation::GeluErf:
    return finishRows<geluErf>(epilogue, tile, shape, out, outStride);
  case Activation::Relu:
    return finishRows<relu>(epilogue, tile, shape, out, outStride);
  case Activation::Silu:
    return finishRows<silu>(epilogue, tile, shape, out, outStride);
  case Activation::Tanh:
    return finishRows<vectors::tanh>(epilogue, tile, shape, out, outStride);
  }
}

} // namespace

void finishTile(const Epilogue &epilogue, const float *tile,
                const TileShape &shape, float *out, int64_t outStride) {
  MultiVersion<finishTileBody>::call(epilogue, tile, shape, out, outStride);
}

void activate(Activation activation, const float *in, float *out,
              int64_t count) {
  finishTile({.activation = activation}, in, {1, count, count}, out, count);
}

} // namespace tandem
