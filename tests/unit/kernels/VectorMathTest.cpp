#include "backend/kernels/VectorMath.h"

#include "backend/kernels/Activation.h"
#include "backend/kernels/MultiVersion.h"
#include "tests/unit/kernels/KernelCall.h"

#include <cmath>
#include <limits>

namespace tandem::testing {

[[gnu::always_inline]] static inline void expOfBody(const float *in, float *out,
                                                    int64_t count) {
  for (int64_t i = 0; i < count; i += vectors::lanes)
    vectors::store(out + i, vectors::exp(vectors::load(in + i)));
}

static void expOf(const float *in, float *out, int64_t count) {
  MultiVersion<expOfBody>::call(in, out, count);
}

/// Sixteen values a step, dense around zero and over the whole range.
static Floats sampleInputs(float limit) {
  Floats in;
  for (int i = -40000; i < 40000; ++i)
    in.push_back(static_cast<float>(i) * limit / 40000);
  for (float x = 1e-38f; x < limit; x *= 1.37f)
    in.insert(in.end(), {x, -x});
  while (in.size() % 16 != 0)
    in.push_back(0);
  return in;
}

TEST(VectorMath, ExpIsWithinFourTenMillionths) {
  Floats in = sampleInputs(104), out(in.size());
  expOf(in.data(), out.data(), static_cast<int64_t>(in.size()));
  for (size_t i = 0; i < in.size(); ++i) {
    double expected = std::exp(static_cast<double>(in[i]));
    if (expected > std::numeric_limits<float>::max())
      EXPECT_EQ(out[i], INFINITY) << in[i];
    else
      ASSERT_NEAR(out[i], expected, 4e-7 * expected + 0x1p-149) << in[i];
  }
}

TEST(VectorMath, ExpAtTheEnds) {
  Floats in(16, 0.0f), out(16);
  in[0] = INFINITY, in[1] = -INFINITY, in[2] = NAN, in[3] = 1e30f;
  in[4] = -1e30f, in[5] = 1e-40f, in[6] = -1e-40f;
  expOf(in.data(), out.data(), 16);
  EXPECT_EQ(out[0], INFINITY);
  EXPECT_EQ(out[1], 0);
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_EQ(out[3], INFINITY);
  EXPECT_EQ(out[4], 0);
  EXPECT_EQ(out[5], 1);
  EXPECT_EQ(out[6], 1);
}

static double exactly(Activation activation, double x) {
  switch (activation) {
  case Activation::GeluTanh:
    return x / (1 + std::exp(-2 * std::sqrt(2 / M_PI) *
                             (x + 0.044715 * x * x * x)));
  case Activation::GeluErf:
    return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
  case Activation::Relu:
    return std::max(x, 0.0);
  case Activation::Silu:
    return x / (1 + std::exp(-x));
  case Activation::Tanh:
    return std::tanh(x);
  }
  return 0;
}

class ActivationTest : public ::testing::TestWithParam<const char *> {};

TEST_P(ActivationTest, IsWithinAMillionth) {
  Activation kind = *parseActivation(GetParam());
  Floats in = sampleInputs(60), out(in.size());
  activate(kind, in.data(), out.data(), static_cast<int64_t>(in.size()));
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_NEAR(out[i], exactly(kind, in[i]),
                1e-6 * std::max(1.0f, std::abs(in[i])))
        << in[i];
}

TEST_P(ActivationTest, AtTheEndsAndInPlace) {
  Activation kind = *parseActivation(GetParam());
  Floats values = {INFINITY, -INFINITY, 1e30f, -1e30f, 0.0f, NAN, 1e-42f};
  activate(kind, values.data(), values.data(), 7);
  float top = kind == Activation::Tanh ? 1 : INFINITY;
  float bottom = kind == Activation::Tanh ? -1 : 0;
  EXPECT_EQ(values[0], top);
  EXPECT_EQ(values[1], bottom);
  EXPECT_EQ(values[2], kind == Activation::Tanh ? 1 : 1e30f);
  EXPECT_EQ(values[3], bottom);
  EXPECT_EQ(values[4], 0);
  EXPECT_TRUE(std::isnan(values[5]));
  EXPECT_NEAR(values[6], 0, 2e-42);
}

INSTANTIATE_TEST_SUITE_P(All, ActivationTest,
                         ::testing::Values("gelu_tanh", "gelu_erf", "relu",
                                           "silu", "tanh"),
                         [](const auto &info) { return info.param; });

// What a tile goes through on the way out, with and without each part.
TEST(Epilogue, AppliesWhatItHas) {
  const Floats tile = {-2, -1, 3, 4, NAN, 5, 6, -7, 8, NAN}; // rows 5 apart
  const Floats bias = {1, 2, 3, 4}, residual = {10, 20, 30, 40, 50, 60, 70, 80};
  Floats out(8);
  auto finish = [&](Epilogue epilogue) {
    finishTile(epilogue, tile.data(), {2, 4, 5}, out.data(), 4);
    return out;
  };
  EXPECT_EQ(finish({}), (Floats{-2, -1, 3, 4, 5, 6, -7, 8}));
  EXPECT_EQ(finish({.bias = bias.data()}), (Floats{-1, 1, 6, 8, 6, 8, -4, 12}));
  EXPECT_EQ(finish({.bias = bias.data(),
                    .residual = residual.data(),
                    .activation = Activation::Relu}),
            (Floats{10, 21, 36, 48, 56, 68, 70, 92}));
}

TEST(VectorMath, TanhAndSiluAreRelativelyClose) {
  Floats in = sampleInputs(80), out(in.size());
  for (Activation kind : {Activation::Tanh, Activation::Silu}) {
    activate(kind, in.data(), out.data(), static_cast<int64_t>(in.size()));
    for (size_t i = 0; i < in.size(); ++i) {
      double expected = exactly(kind, in[i]);
      ASSERT_NEAR(out[i], expected, 5e-7 * std::abs(expected) + 1e-37) << in[i];
    }
  }
}

} // namespace tandem::testing
