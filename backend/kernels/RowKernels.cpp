#include "backend/kernels/Activation.h"
#include "backend/kernels/Factories.h"
#include "backend/kernels/RowMath.h"
#include "backend/kernels/Rowwise.h"
#include "backend/kernels/SpecReader.h"

#include <cstring>
#include <limits>

namespace tandem {

namespace {

int64_t numRows(const Value &value) {
  return numElements(value) / value.shape.back();
}

using BinaryRow = void (*)(const float *, const float *, float *, int64_t);

/// in a, b (the shape of a, or a suffix of it) -> out like a; out may be a, or
/// b where the shapes are the same.
KernelResult createBinary(std::string_view name, const KernelSpec &spec,
                          BinaryRow function) {
  SpecReader reader(name, spec);
  reader.expectOperands(2, 1);
  const Value &a = reader.input(0, "a", SpecReader::anyRank);
  const Value &b = reader.input(1, "b", SpecReader::anyRank);
  const Value &result = reader.output(0, "out", SpecReader::anyRank);
  reader.expectShape("out", result, a.shape);
  if (!reader.ok())
    return reader.failure();
  if (b.shape.size() > a.shape.size() ||
      !std::equal(b.shape.rbegin(), b.shape.rend(), a.shape.rbegin()))
    reader.expectShape("b", b, a.shape);
  if (!reader.ok())
    return reader.failure();
  int64_t columns = a.shape.back(), rowsOfB = numRows(b);
  return rowwise(numRows(a), "rows", [=](const KernelOperands &o, Range rows) {
    for (int64_t row = rows.begin; row < rows.end; ++row)
      function(in(o, 0) + row * columns, in(o, 1) + row % rowsOfB * columns,
               out(o, 0) + row * columns, columns);
  });
}

/// Checks in x -> out like x.
const Value &readUnary(SpecReader &reader) {
  reader.expectOperands(1, 1);
  const Value &x = reader.input(0, "x", SpecReader::anyRank);
  const Value &result = reader.output(0, "out", SpecReader::anyRank);
  reader.expectShape("out", result, x.shape);
  return x;
}

} // namespace

KernelResult createAdd(const KernelSpec &spec) {
  return createBinary("add", spec, addRow);
}

KernelResult createMul(const KernelSpec &spec) {
  return createBinary("mul", spec, multiplyRow);
}

/// attr factor
KernelResult createScale(const KernelSpec &spec) {
  SpecReader reader("scale", spec);
  const Value &x = readUnary(reader);
  auto factor = static_cast<float>(reader.real("factor"));
  if (!reader.ok())
    return reader.failure();
  int64_t columns = x.shape.back();
  return rowwise(numRows(x), "rows", [=](const KernelOperands &o, Range rows) {
    int64_t begin = rows.begin * columns;
    scaleRow(in(o, 0) + begin, factor, out(o, 0) + begin,
             rows.size() * columns);
  });
}

/// attr kind
KernelResult createActivation(const KernelSpec &spec) {
  SpecReader reader("activation", spec);
  const Value &x = readUnary(reader);
  std::string kind = reader.text("kind");
  auto activation = parseActivation(kind);
  if (!activation)
    reader.fail("attribute 'kind': got '{}', expected gelu_tanh, gelu_erf, "
                "relu, silu or tanh",
                kind);
  if (!reader.ok())
    return reader.failure();
  int64_t columns = x.shape.back();
  return rowwise(numRows(x), "rows",
                 [=, kind = *activation](const KernelOperands &o, Range rows) {
                   int64_t begin = rows.begin * columns;
                   activate(kind, in(o, 0) + begin, out(o, 0) + begin,
                            rows.size() * columns);
                 });
}

/// Over the last dimension.
KernelResult createSoftmax(const KernelSpec &spec) {
  SpecReader reader("softmax", spec);
  const Value &x = readUnary(reader);
  if (!reader.ok())
    return reader.failure();
  int64_t columns = x.shape.back();
  return rowwise(numRows(x), "rows", [=](const KernelOperands &o, Range rows) {
    for (int64_t row = rows.begin; row < rows.end; ++row)
      softmaxRow(in(o, 0) + row * columns, out(o, 0) + row * columns, columns);
  });
}

/// in scores [..., columns], positions i32 [N] -> out: -infinity in columns
/// beyond the position of the row, row i having positions[i % N].
KernelResult createCausalMask(const KernelSpec &spec) {
  SpecReader reader("causal_mask", spec);
  reader.expectOperands(2, 1);
  const Value &scores = reader.input(0, "scores", SpecReader::anyRank);
  const Value &positions = reader.input(1, "positions", 1, ElementType::I32);
  const Value &result = reader.output(0, "out", SpecReader::anyRank);
  reader.expectShape("out", result, scores.shape);
  if (!reader.ok())
    return reader.failure();
  int64_t count = positions.shape[0], columns = scores.shape.back();
  reader.expectEqual("rows of 'scores' modulo positions",
                     numRows(scores) % count, 0);
  if (!reader.ok())
    return reader.failure();
  auto mask = [=](const KernelOperands &o, Range rows) {
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      const float *from = in(o, 0) + row * columns;
      float *to = out(o, 0) + row * columns;
      int64_t position = in<int32_t>(o, 1)[row % count];
      int64_t kept = std::clamp<int64_t>(position + 1, 0, columns);
      if (from != to)
        std::memcpy(to, from, kept * sizeof(float));
      std::fill(to + kept, to + columns,
                -std::numeric_limits<float>::infinity());
    }
  };
  return rowwise(numRows(scores), "rows", mask);
}

/// in x [N, d], scale [d], bias [d] -> out [N, d]; attr epsilon
KernelResult createLayerNorm(const KernelSpec &spec) {
  SpecReader reader("layer_norm", spec);
  reader.expectOperands(3, 1);
  const Value &x = reader.input(0, "x", 2);
  const Value &scale = reader.input(1, "scale", 1);
  const Value &bias = reader.input(2, "bias", 1);
  const Value &result = reader.output(0, "out", 2);
  auto epsilon = static_cast<float>(reader.real("epsilon"));
  if (!reader.ok())
    return reader.failure();
  int64_t columns = x.shape[1];
  reader.expectShape("scale", scale, {columns});
  reader.expectShape("bias", bias, {columns});
  reader.expectShape("out", result, x.shape);
  if (!reader.ok())
    return reader.failure();
  return rowwise(x.shape[0], "rows", [=](const KernelOperands &o, Range rows) {
    Normalization norm{in(o, 1), in(o, 2), epsilon};
    for (int64_t row = rows.begin; row < rows.end; ++row)
      normalizeRow(norm, in(o, 0) + row * columns, out(o, 0) + row * columns,
                   columns);
  });
}

/// in a [N, d], b [N, d], scale [d], bias [d]
///   -> out sum [N, d] (may be a or b), normed [N, d]; attr epsilon
KernelResult createAddLayerNorm(const KernelSpec &spec) {
  SpecReader reader("add_layer_norm", spec);
  reader.expectOperands(4, 2);
  const Value &a = reader.input(0, "a", 2), &b = reader.input(1, "b", 2);
  const Value &scale = reader.input(2, "scale", 1);
  const Value &bias = reader.input(3, "bias", 1);
  const Value &sum = reader.output(0, "sum", 2);
  const Value &normed = reader.output(1, "normed", 2);
  auto epsilon = static_cast<float>(reader.real("epsilon"));
  if (!reader.ok())
    return reader.failure();
  int64_t columns = a.shape[1];
  reader.expectShape("b", b, a.shape);
  reader.expectShape("scale", scale, {columns});
  reader.expectShape("bias", bias, {columns});
  reader.expectShape("sum", sum, a.shape);
  reader.expectShape("normed", normed, a.shape);
  if (!reader.ok())
    return reader.failure();
  return rowwise(a.shape[0], "rows", [=](const KernelOperands &o, Range rows) {
    Normalization norm{in(o, 2), in(o, 3), epsilon};
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      float *total = out(o, 0) + row * columns;
      addRow(in(o, 0) + row * columns, in(o, 1) + row * columns, total,
             columns);
      normalizeRow(norm, total, out(o, 1) + row * columns, columns);
    }
  });
}

} // namespace tandem
