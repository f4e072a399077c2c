#include "backend/kernels/Scratch.h"
#include "tests/unit/kernels/KernelCall.h"

#include <cmath>

namespace tandem::testing {

namespace {

enum class Weight { ColumnPanels, RowPanels, Plain, PlainTransposed };

struct LinearCase {
  int64_t rows, depth, columns;
  Weight weight = Weight::ColumnPanels;
  bool bias = false, residual = false, gelu = false;
  int64_t gap = 0; // between rows of x

  std::string text() const {
    return fmt::format("[{}, {}] x {} weight {} bias {} residual {} gelu {} "
                       "gap {}",
                       rows, depth, columns, static_cast<int>(weight), bias,
                       residual, gelu, gap);
  }
  bool transposed() const {
    return weight == Weight::RowPanels || weight == Weight::PlainTransposed;
  }
  Layout layout() const {
    if (weight == Weight::RowPanels)
      return Layout::RowPanels;
    return weight == Weight::ColumnPanels ? Layout::ColumnPanels
                                          : Layout::Plain;
  }
};

double gelu(double x) {
  return 0.5 * x *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

struct LinearData {
  Floats x, weight, bias, out; // `out` is the residual until the kernel runs

  explicit LinearData(const LinearCase &c)
      : x(randomFloats(c.rows * (c.depth + c.gap), 1)),
        weight(randomFloats(c.depth * c.columns, 2)),
        bias(randomFloats(c.columns, 3)),
        out(randomFloats(c.rows * c.columns, 4)) {}
};

struct Expected {
  std::vector<double> values, tolerance;
};

Expected expectedOf(const LinearCase &c, const LinearData &data) {
  Expected expected;
  for (int64_t r = 0; r < c.rows; ++r)
    for (int64_t j = 0; j < c.columns; ++j) {
      double sum = c.bias ? data.bias[j] : 0, magnitude = std::abs(sum);
      for (int64_t k = 0; k < c.depth; ++k) {
        double product =
            static_cast<double>(data.x[r * (c.depth + c.gap) + k]) *
            (c.transposed() ? data.weight[j * c.depth + k]
                            : data.weight[k * c.columns + j]);
        sum += product;
        magnitude += std::abs(product);
      }
      double residual = c.residual ? data.out[r * c.columns + j] : 0;
      expected.values.push_back((c.gelu ? gelu(sum) : sum) + residual);
      expected.tolerance.push_back(1.2 * productTolerance(c.depth, magnitude) +
                                   1e-6 * (1 + std::abs(sum)));
    }
  return expected;
}

/// Runs the case, the output being the residual if there is one.
void check(const LinearCase &c, int numThreads) {
  LinearData data(c);
  Expected expected = expectedOf(c, data);
  auto shape = c.transposed() ? std::vector{c.columns, c.depth}
                              : std::vector{c.depth, c.columns};
  if (c.layout() != Layout::Plain)
    data.weight = toPanels(data.weight, c.depth, c.columns, c.layout());
  KernelCall call{
      "linear",
      {strided({c.rows, c.depth}, c.depth + c.gap), panels(shape, c.layout())},
      {floats({c.rows, c.columns})},
      {{"transpose_rhs", int64_t(c.transposed())},
       {"has_bias", int64_t(c.bias)},
       {"has_residual", int64_t(c.residual)},
       {"activation", std::string(c.gelu ? "gelu_tanh" : "none")}},
      linearScratchBytesPerThread(c.rows, c.depth, ElementType::F32)};
  std::vector<void *> inputs = {data.x.data(), data.weight.data()};
  if (c.bias) {
    call.inputs.push_back(floats({c.columns}));
    inputs.push_back(data.bias.data());
  }
  if (c.residual) {
    call.inputs.push_back(floats({c.rows, c.columns}));
    inputs.push_back(data.out.data());
  }
  call.run(inputs, {data.out.data()}, numThreads);
  expectClose(data.out, expected.values, expected.tolerance,
              fmt::format("{} on {} threads", c.text(), numThreads));
}

} // namespace

TEST(Linear, AllRowCounts) {
  for (int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33, 256})
    for (int threads : {1, 2, 3})
      check({.rows = rows, .depth = 48, .columns = 330}, threads);
}

TEST(Linear, AllWeightsAndEpilogues) {
  for (Weight weight : {Weight::ColumnPanels, Weight::RowPanels, Weight::Plain,
                        Weight::PlainTransposed})
    for (int64_t rows : {1, 3, 8, 9, 33})
      for (int epilogue = 0; epilogue < 8; ++epilogue)
        for (int threads : {1, 2})
          check({.rows = rows,
                 .depth = 32,
                 .columns = 150,
                 .weight = weight,
                 .bias = (epilogue & 1) != 0,
                 .residual = (epilogue & 2) != 0,
                 .gelu = (epilogue & 4) != 0},
                threads);
}

TEST(Linear, OddSizes) {
  for (int64_t depth : {1, 15, 35, 101})
    for (int64_t columns : {1, 15, 35, 64, 65, 256, 257, 505})
      for (int64_t rows : {1, 5, 9, 16})
        for (Weight weight : {Weight::ColumnPanels, Weight::Plain})
          check({.rows = rows,
                 .depth = depth,
                 .columns = columns,
                 .weight = weight,
                 .bias = true},
                3);
}

TEST(Linear, RowsOfAView) {
  for (int64_t depth : {48, 35})
    for (int64_t rows : {1, 7, 12, 40})
      check({.rows = rows, .depth = depth, .columns = 200, .gap = 96}, 2);
}

TEST(Linear, DeepAndVocabularySized) {
  for (int64_t rows : {1, 8, 12})
    check({.rows = rows, .depth = 3072, .columns = 130}, 2);
  for (int64_t rows : {1, 9})
    check({.rows = rows,
           .depth = 16,
           .columns = 50257,
           .weight = Weight::RowPanels},
          2);
}

TEST(Linear, RefusesWhatDoesNotFit) {
  KernelCall call{"linear",
                  {floats({4, 32}), panels({16, 64}, Layout::ColumnPanels)},
                  {floats({4, 64})},
                  {{"has_bias", int64_t(0)},
                   {"has_residual", int64_t(0)},
                   {"activation", std::string("none")}}};
  EXPECT_EQ(call.creationError(),
            "linear: operand 'weight': got shape [16, 64], expected [32, 64]");
  call.inputs[1] = panels({32, 64}, Layout::RowPanels);
  EXPECT_EQ(call.creationError(),
            "linear: operand 'weight': got panels of the other dimension");
  call.inputs[1].layout = Layout::ColumnPanels;
  EXPECT_EQ(call.creationError(), "");
  call.inputs[0] = floats({9, 32});
  call.outputs[0] = floats({9, 64});
  EXPECT_EQ(call.creationError(),
            "linear: scratch: got 0 bytes, expected 74752 for 1 threads");
  call.attributes["activation"] = std::string("selu");
  EXPECT_EQ(call.creationError(),
            "linear: attribute 'activation': got 'selu', expected none, "
            "gelu_tanh, gelu_erf, relu, silu or tanh");
}

} // namespace tandem::testing
