#include "tests/unit/kernels/KernelCall.h"

#include <cmath>

namespace tandem::testing {

namespace {

struct MatmulCase {
  int64_t batch, rows, depth, columns;
  bool transposed, shared; // shared: b is one matrix
};

void check(const MatmulCase &c, int numThreads) {
  int64_t batchOfB = c.shared ? 1 : c.batch;
  Floats a = randomFloats(c.batch * c.rows * c.depth, 1);
  Floats b = randomFloats(batchOfB * c.depth * c.columns, 2);
  Floats out(c.batch * c.rows * c.columns, NAN);
  std::vector<double> expected(out.size()), tolerance(out.size());
  for (int64_t row = 0; row < c.batch * c.rows; ++row)
    for (int64_t j = 0; j < c.columns; ++j) {
      const float *matrix =
          b.data() + (c.shared ? 0 : row / c.rows) * c.depth * c.columns;
      double sum = 0, magnitude = 0;
      for (int64_t k = 0; k < c.depth; ++k) {
        double product = static_cast<double>(a[row * c.depth + k]) *
                         (c.transposed ? matrix[j * c.depth + k]
                                       : matrix[k * c.columns + j]);
        sum += product;
        magnitude += std::abs(product);
      }
      expected[row * c.columns + j] = sum;
      tolerance[row * c.columns + j] = productTolerance(c.depth, magnitude);
    }
  std::vector<int64_t> shapeOfB = c.transposed
                                      ? std::vector{c.columns, c.depth}
                                      : std::vector{c.depth, c.columns};
  if (!c.shared)
    shapeOfB.insert(shapeOfB.begin(), c.batch);
  KernelCall call{"matmul",
                  {floats({c.batch, c.rows, c.depth}), floats(shapeOfB)},
                  {floats({c.batch, c.rows, c.columns})},
                  {{"transpose_rhs", int64_t(c.transposed)}}};
  call.run({a.data(), b.data()}, {out.data()}, numThreads);
  expectClose(out, expected, tolerance,
              fmt::format("{} x [{}, {}] x {} transposed {} shared {} on {}",
                          c.batch, c.rows, c.depth, c.columns, c.transposed,
                          c.shared, numThreads));
}

} // namespace

TEST(Matmul, OneMatrix) {
  for (int64_t rows : {1, 2, 9, 33, 256})
    for (int64_t columns : {1, 15, 101, 200})
      for (bool transposed : {false, true})
        for (int threads : {1, 2, 3}) {
          check({1, rows, 35, columns, transposed, true}, threads);
          check({3, rows, 16, columns, transposed, true}, threads);
        }
}

TEST(Matmul, Batches) {
  for (int64_t batch : {1, 2, 5, 12})
    for (int64_t rows : {1, 9, 33})
      for (int64_t columns : {1, 5, 64, 101})
        for (int64_t depth : {1, 5, 64})
          for (bool transposed : {false, true})
            for (int threads : {1, 2, 3})
              check({batch, rows, depth, columns, transposed, false}, threads);
}

TEST(Matmul, VocabularySized) {
  check({1, 1, 32, 50257, true, true}, 2);
  check({1, 7, 32, 50257, true, true}, 2);
}

TEST(Matmul, RefusesWhatDoesNotFit) {
  KernelCall call{"matmul",
                  {floats({2, 3, 4}), floats({3, 4, 5})},
                  {floats({2, 3, 5})},
                  {}};
  EXPECT_EQ(call.creationError(),
            "matmul: operand 'b': got shape [3, 4, 5], expected [2, 4, 5]");
  call.inputs[1] = ints({2, 4, 5});
  EXPECT_EQ(call.creationError(), "matmul: operand 'b': got i32, expected f32");
}

} // namespace tandem::testing
