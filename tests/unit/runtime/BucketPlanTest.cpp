#include "runtime/BucketPlan.h"

#include <gtest/gtest.h>
#include <random>

using namespace tandem;

namespace {

using Rows = std::vector<int64_t>;

/// The least that any buckets of 8, 16, ... `most` rows cost.
int64_t leastCost(const PromptLengths &lengths, int64_t most) {
  int64_t count = most / 8, least = INT64_MAX;
  for (int64_t set = 1; set < int64_t{1} << count; ++set) {
    Rows buckets;
    for (int64_t i = 0; i < count; ++i)
      if (set >> i & 1)
        buckets.push_back(8 * (i + 1));
    least = std::min(least, costOfBuckets(buckets, lengths).cost);
  }
  return least;
}

} // namespace

// 20 tokens in 16 + 16 rows would cost 96, in 32 rows they cost 64; 40 in 32 +
// 16 rows (112) or 32 + 32 (128).
TEST(BucketPlan, CountsRowsReadingsAndPrograms) {
  BucketPlan plan = costOfBuckets({16, 32}, {{20, 1}, {32, 2}, {40, 3}});
  ASSERT_EQ(plan.lengths.size(), 3U);
  EXPECT_EQ(plan.lengths[0].runs, Rows({32}));
  EXPECT_EQ(plan.lengths[0].paddedRows, 12);
  EXPECT_EQ(plan.lengths[0].cost, 64);
  EXPECT_EQ(plan.lengths[1].paddedRows, 0);
  EXPECT_EQ(plan.lengths[1].cost, 2 * 64);
  EXPECT_EQ(plan.lengths[2].runs, Rows({32, 16}));
  EXPECT_EQ(plan.lengths[2].paddedRows, 3 * 8);
  EXPECT_EQ(plan.lengths[2].cost, 3 * 112);
  EXPECT_EQ(plan.cost, 64 + 128 + 336 + 2 * rowsOfOneProgram);
}

TEST(BucketPlan, FitsOneLength) {
  EXPECT_EQ(planBuckets({{100, 1}}, 1024).buckets, Rows({104}));
  EXPECT_EQ(planBuckets({{1, 5}}, 1024).buckets, Rows({8}));
}

// One prompt of 32 in 40 rows costs 8 more, which is less than a program; a
// hundred cost more.
TEST(BucketPlan, WeighsPaddingAgainstPrograms) {
  EXPECT_EQ(planBuckets({{32, 1}, {40, 1}}, 1024).buckets, Rows({40}));
  EXPECT_EQ(planBuckets({{32, 100}, {40, 1}}, 1024).buckets, Rows({32, 40}));
}

// Two runs of 504 rows cost 8 more than one of 512 and one of 488, which takes
// a program more: that pays for two prompts.
TEST(BucketPlan, CutsWhatIsLongerThanTheLargest) {
  BucketPlan plan = planBuckets({{1000, 1}}, 1024);
  EXPECT_EQ(plan.buckets, Rows({504}));
  EXPECT_EQ(plan.lengths[0].runs, Rows({504, 504}));
  EXPECT_EQ(plan.lengths[0].paddedRows, 8);
  plan = planBuckets({{1000, 2}}, 1024);
  EXPECT_EQ(plan.buckets, Rows({496, 504}));
  EXPECT_EQ(plan.lengths[0].paddedRows, 0);
}

TEST(BucketPlan, StaysWithinThePositions) {
  EXPECT_EQ(planBuckets({{37, 2}}, 37).buckets, Rows({37}));
  EXPECT_EQ(planBuckets({{3, 2}}, 5).buckets, Rows({5}));
}

TEST(BucketPlan, CostsLeastOfAllBuckets) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    PromptLengths lengths;
    for (auto i = random() % 8 + 1; i > 0; --i)
      lengths[random() % 200 + 1] = random() % 10 + 1;
    constexpr int64_t most = 64;
    BucketPlan plan = planBuckets(lengths, most);
    EXPECT_EQ(plan.cost, leastCost(lengths, most)) << "round " << round;
    EXPECT_LE(plan.cost, costOfBuckets({8, 32, 64}, lengths).cost);
  }
}
