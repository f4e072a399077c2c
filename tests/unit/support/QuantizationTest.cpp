#include "support/Quantization.h"
#include "support/TensorView.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace tandem {

namespace {

TEST(Quantization, Bfloat16RoundsTiesToEven) {
  EXPECT_EQ(floatToBfloat16(1.0f), 0x3f80);
  EXPECT_EQ(floatToBfloat16(1.0f + 0x1p-8f), 0x3f80);     // a tie, down
  EXPECT_EQ(floatToBfloat16(1.0f + 3 * 0x1p-8f), 0x3f82); // a tie, up
  EXPECT_EQ(floatToBfloat16(1.0f + 0x1.01p-8f), 0x3f81);
  EXPECT_EQ(floatToBfloat16(-std::numeric_limits<float>::infinity()), 0xff80);
  EXPECT_TRUE(std::isnan(bfloat16ToFloat(
      floatToBfloat16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Quantization, Int8UsesTheWholeRange) {
  std::array<float, 4> x = {-254, 127, 1, 3}; // scale 2
  std::array<int8_t, 4> q = {};
  EXPECT_EQ(quantizeToInt8(x, q.data()), 2.0f);
  EXPECT_EQ(q, (std::array<int8_t, 4>{-127, 64, 0, 2})); // ties to even
}

TEST(Quantization, ZerosStayZeros) {
  std::array<float, 40> x = {};
  std::array<int8_t, 40> q;
  q.fill(1);
  std::array<uint8_t, 2> steps = {9, 9};
  EXPECT_EQ(quantizeToInt8(x, q.data()), 0.0f);
  EXPECT_EQ(q, (std::array<int8_t, 40>{}));
  q.fill(1);
  EXPECT_EQ(quantizeToInt4(x, q.data(), steps.data()), 0.0f);
  EXPECT_EQ(q, (std::array<int8_t, 40>{}));
  EXPECT_EQ(steps, (std::array<uint8_t, 2>{}));
}

TEST(Quantization, Int4GivesEachGroupAStep) {
  std::vector<float> x(64);
  for (int i = 0; i < 64; ++i) // 15 * (-7 to 7), then 3 * (-7 to 7)
    x[i] = static_cast<float>((i < 32 ? 15 : 3) * (i % 15 - 7));
  std::array<int8_t, 64> q;
  std::array<uint8_t, 2> steps;
  EXPECT_EQ(quantizeToInt4(x, q.data(), steps.data()), 1.0f);
  EXPECT_EQ(steps, (std::array<uint8_t, 2>{15, 3}));
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(q[i], i % 15 - 7) << i;
}

/// Half a quantum of the group's own largest element, and the coarseness of
/// whole steps: at most half a step of the scale more.
TEST(Quantization, Int4ErrsByLittle) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> x(1000);
  for (float &value : x)
    value = normal(random);
  std::vector<int8_t> q(x.size());
  std::array<uint8_t, 32> steps;
  float scale = quantizeToInt4(x, q.data(), steps.data());
  double squares = 0, errors = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double off = x[i] - scale * steps[i / 32] * q[i];
    squares += double{x[i]} * x[i];
    errors += off * off;
  }
  // Uniform error of a quantum of about 2.2 sigma / 7: 0.09 of sigma.
  EXPECT_LT(std::sqrt(errors / squares), 0.1);
  EXPECT_GT(std::sqrt(errors / squares), 0.05);
}

} // namespace

} // namespace tandem
