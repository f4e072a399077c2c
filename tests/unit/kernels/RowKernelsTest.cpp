#include "tests/unit/kernels/KernelCall.h"

#include <cmath>

namespace tandem::testing {

static const int64_t widths[] = {1, 5, 15, 16, 35, 101, 256, 768};
static const int64_t heights[] = {1, 2, 9, 33};

TEST(RowKernels, SoftmaxMatchesDouble) {
  for (int64_t columns : widths)
    for (int64_t rows : heights) {
      Floats x = randomFloats(rows * columns, 1), out(x.size(), NAN);
      for (float &v : x)
        v *= 20;
      if (columns > 1)
        x[columns - 1] = -INFINITY;
      std::vector<double> expected(x.size());
      for (int64_t r = 0; r < rows; ++r) {
        double sum = 0;
        for (int64_t c = 0; c < columns; ++c)
          sum += std::exp(static_cast<double>(x[r * columns + c]));
        for (int64_t c = 0; c < columns; ++c)
          expected[r * columns + c] =
              std::exp(static_cast<double>(x[r * columns + c])) / sum;
      }
      for (int threads : {1, 2, 3}) {
        KernelCall call{"softmax",
                        {floats({rows, columns})},
                        {floats({rows, columns})},
                        {}};
        call.run({x.data()}, {out.data()}, threads);
        expectClose(out, expected, 2e-6, fmt::format("{} x {}", rows, columns));
      }
      KernelCall call{
          "softmax", {floats({rows, columns})}, {floats({rows, columns})}, {}};
      call.run({x.data()}, {x.data()}, 2);
      EXPECT_EQ(x, out);
    }
}

/// The scale and bias of a layer norm, and what it makes of rows of `x`.
struct NormCase {
  int64_t rows, columns;
  Floats x, scale, bias;

  NormCase(int64_t rows, int64_t columns, float shift)
      : rows(rows), columns(columns), x(randomFloats(rows * columns, 3)),
        scale(randomFloats(columns, 4)), bias(randomFloats(columns, 5)) {
    for (float &v : x)
      v += shift;
  }

  std::vector<double> expected(const Floats &input) const {
    std::vector<double> result(input.size());
    for (int64_t r = 0; r < rows; ++r) {
      double mean = 0, variance = 0;
      for (int64_t c = 0; c < columns; ++c)
        mean += input[r * columns + c] / static_cast<double>(columns);
      for (int64_t c = 0; c < columns; ++c)
        variance += std::pow(input[r * columns + c] - mean, 2) /
                    static_cast<double>(columns);
      for (int64_t c = 0; c < columns; ++c)
        result[r * columns + c] = (input[r * columns + c] - mean) /
                                      std::sqrt(variance + 1e-5) * scale[c] +
                                  bias[c];
    }
    return result;
  }
};

TEST(RowKernels, LayerNormMatchesDouble) {
  for (int64_t columns : widths)
    for (int64_t rows : heights)
      for (float shift : {0.0f, 30.0f}) {
        NormCase norm(rows, columns, shift);
        Floats out(norm.x.size(), NAN);
        KernelCall call{
            "layer_norm",
            {floats({rows, columns}), floats({columns}), floats({columns})},
            {floats({rows, columns})},
            {{"epsilon", 1e-5}}};
        // The mean is rounded to an ulp of the shift; one column has no
        // variance but epsilon to divide that by.
        double tolerance =
            (4e-6 + 4 * epsilon * shift) * (columns == 1 ? 400 : 4);
        for (int threads : {1, 2, 3}) {
          call.run({norm.x.data(), norm.scale.data(), norm.bias.data()},
                   {out.data()}, threads);
          expectClose(out, norm.expected(norm.x), tolerance,
                      fmt::format("{} x {} + {}", rows, columns, shift));
        }
      }
}

TEST(RowKernels, AddLayerNormMatchesDoubleAlsoInPlace) {
  for (int64_t columns : widths)
    for (int64_t rows : heights) {
      NormCase norm(rows, columns, 0);
      Floats b = randomFloats(rows * columns, 6), sum = b;
      for (size_t i = 0; i < b.size(); ++i)
        sum[i] += norm.x[i];
      KernelCall call{"add_layer_norm",
                      {floats({rows, columns}), floats({rows, columns}),
                       floats({columns}), floats({columns})},
                      {floats({rows, columns}), floats({rows, columns})},
                      {{"epsilon", 1e-5}}};
      for (int alias : {0, 1, 2}) {
        Floats left = norm.x, right = b, total(b.size()), out(b.size(), NAN);
        float *to = alias == 0   ? total.data()
                    : alias == 1 ? left.data()
                                 : right.data();
        call.run(
            {left.data(), right.data(), norm.scale.data(), norm.bias.data()},
            {to, out.data()}, 2);
        EXPECT_EQ(Floats(to, to + b.size()), sum);
        expectClose(out, norm.expected(sum), columns == 1 ? 2e-3 : 2e-5,
                    fmt::format("{} x {}", rows, columns));
      }
    }
}

TEST(RowKernels, AddAndMulBroadcastOverLeadingDimensions) {
  int64_t n = 3, m = 4, k = 35;
  Floats a = randomFloats(n * m * k, 1);
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{k}, {m, k}, {n, m, k}}) {
    int64_t size = 1;
    for (int64_t s : shape)
      size *= s;
    Floats b = randomFloats(size, 2), out(a.size(), NAN);
    for (const char *name : {"add", "mul"})
      for (int threads : {1, 2, 3}) {
        KernelCall call{
            name, {floats({n, m, k}), floats(shape)}, {floats({n, m, k})}, {}};
        Floats inPlace = a;
        call.run({a.data(), b.data()}, {out.data()}, threads);
        call.run({inPlace.data(), b.data()}, {inPlace.data()}, threads);
        EXPECT_EQ(inPlace, out);
        for (size_t i = 0; i < a.size(); ++i)
          ASSERT_EQ(out[i], call.kernel == "add" ? a[i] + b[i % size]
                                                 : a[i] * b[i % size]);
      }
  }
}

TEST(RowKernels, ScaleAndActivation) {
  Floats x = randomFloats(7 * 101, 1), out(x.size(), NAN);
  KernelCall scale{
      "scale", {floats({7, 101})}, {floats({7, 101})}, {{"factor", 0.125}}};
  KernelCall gelu{"activation",
                  {floats({7, 101})},
                  {floats({7, 101})},
                  {{"kind", std::string("gelu_tanh")}}};
  for (int threads : {1, 2, 3}) {
    scale.run({x.data()}, {out.data()}, threads);
    std::vector<double> expected;
    for (float v : x)
      expected.push_back(v * 0.125);
    expectClose(out, expected, 0, "scale");
    gelu.run({x.data()}, {out.data()}, threads);
    for (size_t i = 0; i < x.size(); ++i)
      expected[i] = 0.5 * x[i] *
                    (1 + std::tanh(std::sqrt(2 / M_PI) *
                                   (x[i] + 0.044715 * std::pow(x[i], 3))));
    expectClose(out, expected, 1e-6, "gelu_tanh");
  }
}

TEST(RowKernels, CausalMaskHidesLaterColumns) {
  int64_t heads = 3, rows = 5, columns = 9;
  Floats scores = randomFloats(heads * rows * columns, 1);
  Ints positions = {4, 5, 0, 20, 8};
  KernelCall call{"causal_mask",
                  {floats({heads, rows, columns}), ints({rows})},
                  {floats({heads, rows, columns})},
                  {}};
  for (int threads : {1, 2, 3}) {
    Floats out(scores.size(), NAN), inPlace = scores;
    call.run({scores.data(), positions.data()}, {out.data()}, threads);
    call.run({inPlace.data(), positions.data()}, {inPlace.data()}, threads);
    EXPECT_EQ(inPlace, out);
    for (int64_t r = 0; r < heads * rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        EXPECT_EQ(out[r * columns + c], c > positions[r % rows]
                                            ? -INFINITY
                                            : scores[r * columns + c]);
  }
}

} // namespace tandem::testing
