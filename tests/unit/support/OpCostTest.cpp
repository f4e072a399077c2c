#include "support/OpCost.h"

#include <gtest/gtest.h>

using namespace tandem;

namespace {

OpCost costOf(const OpShape &op) {
  std::optional<OpCost> cost = opCost(op);
  EXPECT_TRUE(cost) << op.op;
  return cost.value_or(OpCost());
}

/// An op on arrays of 32 bits.
OpShape shape(std::string_view op, std::vector<std::vector<int64_t>> inputs,
              std::vector<int64_t> output) {
  OpShape result = {.op = op,
                    .inputs = {},
                    .outputs = {{std::move(output)}},
                    .activation = {},
                    .cache = {}};
  for (std::vector<int64_t> &dims : inputs)
    result.inputs.push_back({std::move(dims)});
  return result;
}

} // namespace

// [3, 8] x [8, 5]: 2 * 3 * 8 * 5 in the product; the bias and the residual add
// 15 each, relu compares 15.
TEST(OpCost, OfALinear) {
  OpShape linear = shape("linear", {{3, 8}, {8, 5}}, {3, 5});
  EXPECT_EQ(costOf(linear).productFlop, 240);
  EXPECT_EQ(costOf(linear).elementFlop, 0);
  EXPECT_EQ(costOf(linear).inputBytes, (std::vector<int64_t>{96, 160}));
  EXPECT_EQ(costOf(linear).outputBytes, std::vector<int64_t>{60});
  linear.inputs.push_back({{5}});
  linear.inputs.push_back({{3, 5}});
  linear.activation = Activation::Relu;
  EXPECT_EQ(costOf(linear).productFlop, 240);
  EXPECT_EQ(costOf(linear).elementFlop, 45);
}

// Narrow weights are read as they are stored; half a byte an element here.
TEST(OpCost, CountsBitsOfElements) {
  OpShape linear = shape("linear", {{1, 8}, {8, 5}}, {1, 5});
  linear.inputs[1].elementBits = 4;
  EXPECT_EQ(costOf(linear).inputBytes[1], 20);
}

TEST(OpCost, OfABatchedMatmul) {
  EXPECT_EQ(
      costOf(shape("matmul", {{2, 3, 8}, {2, 8, 5}}, {2, 3, 5})).productFlop,
      2 * 240);
}

// Of the table only the rows that ids name.
TEST(OpCost, OfAnEmbedding) {
  OpCost cost = costOf(shape("embedding", {{97, 8}, {3}}, {3, 8}));
  EXPECT_EQ(cost.inputBytes, (std::vector<int64_t>{96, 12}));
  EXPECT_EQ(cost.flop(), 0);
  EXPECT_TRUE(readsPart("embedding", 0));
  EXPECT_FALSE(readsPart("embedding", 1));
  EXPECT_FALSE(readsPart("linear", 0));
}

TEST(OpCost, OfTheSumOfTwoEmbeddings) {
  OpCost cost =
      costOf(shape("add_embedding", {{97, 8}, {3}, {40, 8}, {3}}, {3, 8}));
  EXPECT_EQ(cost.inputBytes, (std::vector<int64_t>{96, 12, 96, 12}));
  EXPECT_EQ(cost.flop(), 24);
}

TEST(OpCost, OfASlice) {
  OpCost cost = costOf(shape("slice", {{3, 24}}, {3, 8}));
  EXPECT_EQ(cost.inputBytes, cost.outputBytes);
}

// 3 rows see 1 + 2 + 3 keys: a product and a sum over 8 elements for each, and
// for each head a scale and a softmax, six operations.
TEST(OpCost, OfAttention) {
  OpShape attention = shape("attention", {{3, 8}, {3, 8}, {3, 8}, {3}}, {3, 8});
  attention.heads = 2;
  EXPECT_EQ(costOf(attention).productFlop, 6 * 4 * 8);
  EXPECT_EQ(costOf(attention).elementFlop, 6 * 2 * 6);
}

// 2 rows see 10 positions each, of the 2 sequences that they belong to.
TEST(OpCost, OfCachedAttention) {
  OpShape attention = shape("cached_attention", {{2, 8}, {2}}, {2, 8});
  attention.heads = 2;
  attention.cache = {.sequences = 2, .positions = 10, .elementBits = 16};
  OpCost cost = costOf(attention);
  EXPECT_EQ(cost.productFlop, 2 * 10 * 4 * 8);
  EXPECT_EQ(cost.cacheBytesRead, 2 * 10 * 2 * 8 * 2);
  EXPECT_EQ(cost.cacheBytesWritten, 0);
}

TEST(OpCost, OfAppending) {
  OpShape append = {.op = "kv_append",
                    .inputs = {{{3, 8}}, {{3, 8}}, {{3}}},
                    .outputs = {},
                    .activation = {},
                    .cache = {}};
  EXPECT_EQ(costOf(append).cacheBytesWritten, 2 * 3 * 8 * 4);
}

TEST(OpCost, IsAbsentForAnOpThatIsNotInTheTable) {
  EXPECT_FALSE(opCost(shape("convolution", {{1}}, {1})));
}
