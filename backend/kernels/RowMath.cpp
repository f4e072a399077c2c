#include "backend/kernels/RowMath.h"

#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/VectorMath.h"

#include <cmath>
#include <limits>

namespace tandem {

using namespace vectors;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

[[gnu::always_inline]] inline Floats16 largestOf(const float *in,
                                                 int64_t count) {
  Floats16 result = broadcast(-infinity);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    result = larger(result, load(in + i));
  if (i < count)
    result = larger(result, loadFirst(in + i, count - i, -infinity));
  return largest(result);
}

/// The sum of (in - shift)^power, in four chains as long as an addition takes.
template <int power>
[[gnu::always_inline]] inline float sumOf(const float *in, float shift,
                                          int64_t count) {
  auto term = [shift](Floats16 v) __attribute__((always_inline)) {
    v -= shift;
    return power == 1 ? v : v * v;
  };
  Floats16 result[4] = {};
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes)
    for (int chain = 0; chain < 4; ++chain)
      result[chain] += term(load(in + i + chain * lanes));
  for (; i + lanes <= count; i += lanes)
    result[0] += term(load(in + i));
  if (i < count)
    result[1] += term(loadFirst(in + i, count - i, shift));
  return sum((result[0] + result[1]) + (result[2] + result[3]));
}

[[gnu::always_inline]] inline void addRowBody(const float *a, const float *b,
                                              float *out, int64_t count) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    store(out + i, load(a + i) + load(b + i));
  for (; i < count; ++i)
    out[i] = a[i] + b[i];
}

[[gnu::always_inline]] inline void
multiplyRowBody(const float *a, const float *b, float *out, int64_t count) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    store(out + i, load(a + i) * load(b + i));
  for (; i < count; ++i)
    out[i] = a[i] * b[i];
}

[[gnu::always_inline]] inline void scaleRowBody(const float *in, float factor,
                                                float *out, int64_t count) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    store(out + i, load(in + i) * factor);
  for (; i < count; ++i)
    out[i] = in[i] * factor;
}

[[gnu::always_inline]] inline void softmaxRowBody(const float *in, float *out,
                                                  int64_t count) {
  Floats16 shift = largestOf(in, count);
  Floats16 total{};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Floats16 v = expOfNegative(load(in + i) - shift);
    total += v;
    store(out + i, v);
  }
  if (i < count) {
    Floats16 v = expOfNegative(loadFirst(in + i, count - i, -infinity) - shift);
    total += v;
    storeFirst(out + i, v, count - i);
  }
  float factor = 1.0f / sum(total);
  for (i = 0; i + lanes <= count; i += lanes)
    store(out + i, load(out + i) * factor);
  for (; i < count; ++i)
    out[i] *= factor;
}

[[gnu::always_inline]] inline void normalizeRowBody(const Normalization &norm,
                                                    const float *in, float *out,
                                                    int64_t count) {
  auto size = static_cast<float>(count);
  float mean = sumOf<1>(in, 0, count) / size;
  float variance = sumOf<2>(in, mean, count) / size;
  float factor = 1.0f / std::sqrt(variance + norm.epsilon);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Floats16 scaled = (load(in + i) - mean) * factor;
    store(out + i, scaled * load(norm.scale + i) + load(norm.bias + i));
  }
  for (; i < count; ++i)
    out[i] = (in[i] - mean) * factor * norm.scale[i] + norm.bias[i];
}

} // namespace

void addRow(const float *a, const float *b, float *out, int64_t count) {
  MultiVersion<addRowBody>::call(a, b, out, count);
}

void multiplyRow(const float *a, const float *b, float *out, int64_t count) {
  MultiVersion<multiplyRowBody>::call(a, b, out, count);
}

void scaleRow(const float *in, float factor, float *out, int64_t count) {
  MultiVersion<scaleRowBody>::call(in, factor, out, count);
}

void softmaxRow(const float *in, float *out, int64_t count) {
  MultiVersion<softmaxRowBody>::call(in, out, count);
}

void normalizeRow(const Normalization &norm, const float *in, float *out,
                  int64_t count) {
  MultiVersion<normalizeRowBody>::call(norm, in, out, count);
}

} // namespace tandem
