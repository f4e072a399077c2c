#pragma once

#include <cstdint>

/// One row of f32 at a time; `out` may be an input. Each is compiled for every
/// CpuLevel.
namespace tandem {

void addRow(const float *a, const float *b, float *out, int64_t count);
void multiplyRow(const float *a, const float *b, float *out, int64_t count);
void scaleRow(const float *in, float factor, float *out, int64_t count);

/// e^(in - largest) over their sum.
void softmaxRow(const float *in, float *out, int64_t count);

struct Normalization {
  const float *scale = nullptr, *bias = nullptr; // [count]
  float epsilon = 0;
};

/// (in - mean) / sqrt(variance + epsilon) * scale + bias; the variance is that
/// of a second pass, which does not cancel.
void normalizeRow(const Normalization &norm, const float *in, float *out,
                  int64_t count);

} // namespace tandem
