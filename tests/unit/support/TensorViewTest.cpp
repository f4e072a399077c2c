#include "support/TensorView.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(TensorViewTest, CountsElements) {
  EXPECT_EQ((TensorView{ElementType::F32, {2, 3, 4}, nullptr}).numElements(),
            24);
  EXPECT_EQ((TensorView{ElementType::F32, {}, nullptr}).numElements(), 1);
  EXPECT_EQ((TensorView{ElementType::F32, {5, 0}, nullptr}).numElements(), 0);
}

TEST(TensorViewTest, ReadsHalves) {
  EXPECT_EQ(halfToFloat(0x3c00), 1.0f);
  EXPECT_EQ(halfToFloat(0xc000), -2.0f);
  EXPECT_EQ(halfToFloat(0x7bff), 65504.0f); // the largest
  EXPECT_EQ(halfToFloat(0x0400), 0x1p-14f); // the smallest that is normal
  EXPECT_EQ(halfToFloat(0x0001), 0x1p-24f); // the smallest
  EXPECT_EQ(halfToFloat(0x83ff), -0x3ffp-24f);
  EXPECT_TRUE(std::signbit(halfToFloat(0x8000)));
  EXPECT_EQ(halfToFloat(0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(halfToFloat(0x7e00)));
}

TEST(TensorViewTest, ReadsBfloat16) {
  EXPECT_EQ(bfloat16ToFloat(0x3f80), 1.0f);
  EXPECT_EQ(bfloat16ToFloat(0xc049), -3.140625f);
}

TEST(TensorViewTest, ConvertsFromUnalignedMemory) {
  alignas(8) std::byte memory[9] = {};
  float values[2] = {1.5f, -2.25f}, out[2];
  std::memcpy(memory + 1, values, sizeof(values));
  convertToFloat({ElementType::F32, {2}, memory + 1}, out);
  EXPECT_EQ(out[0], 1.5f);
  EXPECT_EQ(out[1], -2.25f);

  uint16_t halves[2] = {0x3c00, 0x4200};
  std::memcpy(memory + 1, halves, sizeof(halves));
  convertToFloat({ElementType::F16, {2}, memory + 1}, out);
  EXPECT_EQ(out[0], 1.0f);
  EXPECT_EQ(out[1], 3.0f);
}

TEST(TensorViewTest, SpellsElementTypesAsMlirDoes) {
  EXPECT_EQ(name(ElementType::F32), "f32");
  EXPECT_EQ(name(ElementType::BF16), "bf16");
}

} // namespace
} // namespace tandem
