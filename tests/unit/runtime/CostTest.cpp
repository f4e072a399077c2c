#include "runtime/Cost.h"

#include "tests/unit/runtime/TinyModel.h"

using namespace tandem;
using namespace tandem::testing;

namespace {

const TinyBuckets buckets = {
    .prefill = {4}, .decode = {2}, .head = {1}, .forward = {8}};

} // namespace

// The table, once, is 2 panels of 64 rows of 32 floats; the rest of a decode
// program's weights is only looked up. A cached token is 2 layers of 32 keys
// and as many values; the program attends to one of the layers.
TEST(DecodeCost, OfTheTinyModel) {
  auto executable = plannedExecutable(buckets);
  Cost cost = decodeCost(executable, 10);
  EXPECT_EQ(cost.bytes, 2 * 64 * 32 * 4 + 10 * (2 * 2 * 32 * 4));
  EXPECT_EQ(cost.totalFlop(), 2 * (70 * 32) + 10 * 2 * (2 * 32));
  EXPECT_EQ(decodeCost(executable, 0).bytes, 2 * 64 * 32 * 4);
}

// Plain, the table is not padded.
TEST(DecodeCost, OfAPlainWeight) {
  Cost cost = decodeCost(eagerExecutable(buckets), 0);
  EXPECT_EQ(cost.bytes, 70 * 32 * 4);
  EXPECT_EQ(cost.totalFlop(), 2 * (70 * 32));
}

// Three rows attend to 1 + 2 + 3 keys, a product and a sum over 32 floats in
// each of 2 layers; only the last row has logits.
TEST(PrefillCost, OfTheTinyModel) {
  constexpr double attention = (1 + 2 + 3) * 2 * 2 * 2 * 32;
  constexpr double head = 2 * 70 * 32;
  EXPECT_EQ(prefillCost(plannedExecutable(buckets), 3).totalFlop(), attention + head);
  EXPECT_EQ(
      prefillCost(plannedExecutable({.head = {1}, .forward = {8}}), 3).totalFlop(),
      attention + head);
}

TEST(Cost, IsNothingWithoutAProgram) {
  auto executable = plannedExecutable({.forward = {8}});
  EXPECT_EQ(decodeCost(executable, 10).bytes, 0);
  EXPECT_EQ(prefillCost(executable, 3).totalFlop(), 0);
}
