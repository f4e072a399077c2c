#include "backend/kernels/Factories.h"
#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/Rowwise.h"
#include "backend/kernels/SpecReader.h"
#include "support/QuantizationLoops.h"

namespace tandem {

namespace {

[[gnu::always_inline]] inline void
toBfloat16Body(const float *row, uint16_t *out, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = roundToBfloat16(row[i]);
}

[[gnu::always_inline]] inline float toInt8Body(const float *row, int8_t *out,
                                               int64_t count) {
  return roundToInt8(row, count, out);
}

KernelResult castToBf16(int64_t rows, int64_t depth, int64_t stride) {
  return rowwise(rows, "rows", [=](const KernelOperands &o, Range range) {
    for (int64_t row = range.begin; row < range.end; ++row)
      MultiVersion<toBfloat16Body>::call(
          in(o, 0) + row * stride, out<uint16_t>(o, 0) + row * depth, depth);
  });
}

KernelResult castToInt8(int64_t rows, int64_t depth, int64_t stride) {
  int64_t padded = plainRowStride(depth, ElementType::QInt8);
  return rowwise(rows, "rows", [=](const KernelOperands &o, Range range) {
    auto *scales = reinterpret_cast<float *>(out<int8_t>(o, 0) + rows * padded);
    for (int64_t row = range.begin; row < range.end; ++row) {
      int8_t *to = out<int8_t>(o, 0) + row * padded;
      scales[row] =
          MultiVersion<toInt8Body>::call(in(o, 0) + row * stride, to, depth);
      std::fill(to + depth, to + padded, int8_t{0});
    }
  });
}

} // namespace

/// in x f32 [rows, depth] (rows may be apart)
///   -> out [rows, depth]: bf16, or qint8 with a scale a row
KernelResult createCast(const KernelSpec &spec) {
  SpecReader reader("cast", spec);
  reader.expectOperands(1, 1);
  const Value &x = reader.view(0, "x", 2);
  const Value &result =
      reader.output(0, "out", 2, {ElementType::BF16, ElementType::QInt8});
  reader.expectShape("out", result, x.shape);
  if (!reader.ok())
    return reader.failure();
  int64_t rows = x.shape[0], depth = x.shape[1];
  if (result.type == ElementType::BF16)
    return castToBf16(rows, depth, rowStride(x));
  return castToInt8(rows, depth, rowStride(x));
}

} // namespace tandem
