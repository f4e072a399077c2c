#include "tools/dump/LayerName.h"

#include <gtest/gtest.h>

using namespace tandem;

TEST(LayerName, IsCutAtTheFirstNumber) {
  auto name = layerOf("h.3.attn.c_proj");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->stack, "h");
  EXPECT_EQ(name->index, 3);
  EXPECT_EQ(name->part, "attn.c_proj");
}

TEST(LayerName, MayHaveNoPartOrSeveralComponentsBefore) {
  auto name = layerOf("model.layers.12");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->stack, "model.layers");
  EXPECT_EQ(name->index, 12);
  EXPECT_EQ(name->part, "");
  EXPECT_EQ(layerOf("a.b.0.c.1.d")->part, "c.1.d");
}

TEST(LayerName, IsAbsentWithoutANumber) {
  for (const char *origin : {"", "wte", "ln_1.weight", "0.attn", "h.1a", "h."})
    EXPECT_FALSE(layerOf(origin)) << origin;
}
