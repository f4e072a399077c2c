#include "backend/kernels/Activation.h"

#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/VectorMath.h"

namespace tandem {

using namespace vectors;

namespace {

[[gnu::always_inline]] inline Floats16 unchanged(Floats16 x) { return x; }

/// One row of a tile and what goes with it; absent is null.
struct TileRow {
  const std::byte *in; // f32, or with scales int32
  const float *columnScales, *bias, *residual;
  float scale;
  float *out;
};

/// out = activation(in [* scales] + bias) + residual. `load` takes sixteen
/// floats from an address, `loadBits` as many bits of four bytes each.
template <auto activation, typename Load, typename LoadBits>
[[gnu::always_inline]] inline Floats16 finish(const TileRow &row, int64_t i,
                                              Load load, LoadBits loadBits) {
  Ints16 bits = loadBits(row.in + i * sizeof(float));
  Floats16 v = reinterpret_cast<Floats16>(bits);
  if (row.columnScales)
    v = toFloats(bits) * (row.scale * load(row.columnScales + i));
  if (row.bias)
    v += load(row.bias + i);
  v = activation(v);
  if (row.residual)
    v += load(row.residual + i);
  return v;
}

template <auto activation>
[[gnu::always_inline]] inline void finishRow(const TileRow &row,
                                             int64_t count) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    store(row.out + i, finish<activation>(row, i, load, loadInts));
  if (i == count)
    return;
  int64_t rest = count - i;
  auto loadRest = [rest](const float *from) __attribute__((always_inline)) {
    return loadFirst(from, rest);
  };
  auto loadRestBits = [rest](const void *from) __attribute__((always_inline)) {
    return loadFirstInts(from, rest);
  };
  storeFirst(row.out + i, finish<activation>(row, i, loadRest, loadRestBits),
             rest);
}

template <auto activation>
[[gnu::always_inline]] inline void
finishRows(const Epilogue &epilogue, const void *tile, const TileShape &shape,
           float *out, int64_t outStride) {
  auto *in = static_cast<const std::byte *>(tile);
  for (int64_t row = 0; row < shape.rows; ++row) {
    const float *residual =
        epilogue.residual ? epilogue.residual + row * outStride : nullptr;
    float scale = epilogue.rowScales ? epilogue.rowScales[row] : 1;
    finishRow<activation>({in + row * shape.stride * sizeof(float),
                           epilogue.columnScales, epilogue.bias, residual,
                           scale, out + row * outStride},
                          shape.columns);
  }
}

[[gnu::always_inline]] inline void
finishTileBody(const Epilogue &epilogue, const void *tile,
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

void finishTile(const Epilogue &epilogue, const void *tile,
                const TileShape &shape, float *out, int64_t outStride) {
  MultiVersion<finishTileBody>::call(epilogue, tile, shape, out, outStride);
}

void activate(Activation activation, const float *in, float *out,
              int64_t count) {
  finishTile({.activation = activation}, in, {1, count, count}, out, count);
}

} // namespace tandem
