#include "passes/proof/ValueTrace.h"
#include "passes/proof/ErrorBudget.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tandem;

namespace {

TEST(ErrorBudget, IsTheFormulaOfTheDecision) {
  // sqrt(2 ln(2 10 / 1e-6)) = sqrt(2 · 16.811) = 5.798; sqrt(2 (49 + 1)) = 10.
  EXPECT_NEAR(errorBudget(49, 3, 10, 0x1p-24), 5.798 * 0x1p-24 * 10 * 3,
              1e-3 * 0x1p-24 * 10 * 3);
}

TEST(RowLayout, FindsRowsAmongHeads) {
  const TracedOp perHead = {.name = "a", .rank = 3, .rowDim = 1};
  // [heads, rows, size], then with the heads side by side.
  auto apart = rowLayout(std::vector<int64_t>{4, 5, 6}, perHead, 5);
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->outer, 4);
  EXPECT_EQ(apart->inner, 6);
  auto together = rowLayout(std::vector<int64_t>{5, 24}, perHead, 5);
  ASSERT_TRUE(together);
  EXPECT_EQ(together->outer, 1);
  EXPECT_EQ(together->inner, 24);
  EXPECT_FALSE(rowLayout(std::vector<int64_t>{5, 24}, perHead, 6));
  EXPECT_FALSE(rowLayout(std::vector<int64_t>{1, 4, 5, 6}, perHead, 5));
}

TEST(ValueTrace, ComparesWhatBothHaveInProgramOrder) {
  TracedGraph graph;
  graph.ops = {{"first", 2, 0, 0}, {"second", 2, 0, 0}, {"third", 2, 0, 0}};
  ValueTrace expected, got;
  for (const char *op : {"first", "second", "third"})
    for (int64_t position : {0, 1})
      expected.set(op, position, {1, -2});
  got.set("third", 0, {9, 9});
  got.set("second", 1, {1, -2.5});
  got.set("second", 7, {0, 0}); // nothing to compare with
  auto deviations = compare(graph, got, expected, Arithmetic{f32Roundoff});
  ASSERT_EQ(deviations.size(), 2);
  const Deviation *found = worst(deviations);
  EXPECT_EQ(found->op, "second"); // the first that is over, not the worst
  EXPECT_EQ(found->position, 1);
  EXPECT_EQ(found->element, 1);
  EXPECT_EQ(found->error, 0.5);
  EXPECT_TRUE(found->isOver());
}

TEST(ValueTrace, WhatIsNotANumberIsOverEveryBudget) {
  TracedGraph graph;
  graph.ops = {{"op", 2, 0, 0}};
  ValueTrace expected, got;
  expected.set("op", 0, {1, 1});
  got.set("op", 0, {1, NAN});
  auto deviations = compare(graph, got, expected, Arithmetic{f32Roundoff});
  EXPECT_TRUE(worst(deviations)->isOver());
  got.set("op", 0, {1, 1});
  deviations = compare(graph, got, expected, Arithmetic{f32Roundoff});
  EXPECT_FALSE(worst(deviations)->isOver());
  EXPECT_EQ(worst(deviations)->error, 0);
}

} // namespace
