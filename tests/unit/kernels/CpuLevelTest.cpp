#include "backend/kernels/CpuLevel.h"

#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/OneDnn.h"

#include <gtest/gtest.h>

namespace tandem::testing {

TEST(CpuLevel, IsTheHostsOrALowerOneByName) {
  for (auto [name, level] : {std::pair{"v2", CpuLevel::V2},
                             {"v3", CpuLevel::V3},
                             {"v4", CpuLevel::V4}}) {
    EXPECT_EQ(limitCpuLevel(CpuLevel::V4, name), level);
    EXPECT_EQ(cpuLevelName(level), name);
  }
  EXPECT_EQ(limitCpuLevel(CpuLevel::V2, "v2"), CpuLevel::V2);
}

TEST(CpuLevel, RefusesOtherNamesAndHigherLevels) {
  for (const char *name : {"", "v1", "V3", "v3 ", "avx2"})
    EXPECT_EQ(
        limitCpuLevel(CpuLevel::V4, name).error().message,
        fmt::format("TANDEM_CPU_LEVEL: got '{}', expected v2, v3 or v4", name));
  EXPECT_EQ(limitCpuLevel(CpuLevel::V3, "v4").error().message,
            "TANDEM_CPU_LEVEL: got v4, expected at most v3, which is what this "
            "processor has");
}

TEST(CpuLevel, IsWhatTheEnvironmentNames) {
  const char *name = std::getenv("TANDEM_CPU_LEVEL");
  ASSERT_TRUE(cpuLevel()) << cpuLevel().error().message;
  EXPECT_EQ(*cpuLevel(),
            name ? *limitCpuLevel(*hostCpuLevel(), name) : *hostCpuLevel());
}

/// x x - y, which loses what rounding x x loses, unless both are one
/// instruction.
[[gnu::always_inline]] static inline float squareLess(float x, float y) {
  return x * x - y;
}

// This file is compiled so that multiplications and additions are fused where
// the instructions are there: from V3 on.
TEST(MultiVersion, HasTheInstructionsOfTheLevel) {
  constexpr float x = 1 + 0x1p-12f, y = 1 + 0x1p-11f;
  EXPECT_EQ(MultiVersion<squareLess>::call(x, y),
            *cpuLevel() >= CpuLevel::V3 ? 0x1p-24f : 0.0f);
}

TEST(OneDnn, KeepsToTheLevel) {
  constexpr int64_t size = 256;
  OneDnnMatrix matrix{.rows = size, .columns = size, .rowStride = size};
  auto product = OneDnnProduct::matmul(matrix, matrix, matrix);
  ASSERT_TRUE(product) << product.error().message;
  std::string_view name = product->implementation();
  EXPECT_TRUE(*cpuLevel() >= CpuLevel::V4 || !name.contains("avx512")) << name;
  EXPECT_TRUE(*cpuLevel() >= CpuLevel::V3 || !name.contains("avx")) << name;
}

} // namespace tandem::testing
