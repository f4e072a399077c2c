#include "runtime/Bucket.h"

#include <gtest/gtest.h>

using namespace tandem;

namespace {

/// Buckets of 16, 64 and 256 rows, or others.
class Cutting : public testing::Test {
protected:
  std::vector<int64_t> cut(int64_t numRows,
                           const std::vector<int64_t> &sizes = {16, 64, 256}) {
    std::vector<Program> programs(sizes.size());
    Buckets buckets;
    for (size_t i = 0; i < sizes.size(); ++i) {
      programs[i].rows = sizes[i];
      buckets.push_back({&programs[i], nullptr});
    }
    std::vector<int64_t> runs;
    int64_t padded = paddedRows(buckets, numRows);
    while (numRows > 0) {
      runs.push_back(nextBucket(buckets, numRows).rowsFor(numRows));
      numRows -= runs.back();
      padded -= runs.back();
    }
    EXPECT_EQ(padded, 0);
    return runs;
  }
  using Runs = std::vector<int64_t>;
};

} // namespace

TEST_F(Cutting, FillsTheLargestFirst) {
  EXPECT_EQ(cut(256), Runs({256}));
  EXPECT_EQ(cut(512 + 64 + 16), Runs({256, 256, 64, 16}));
}

TEST_F(Cutting, PadsTheSmallestThatHoldsTheRest) {
  EXPECT_EQ(cut(1), Runs({16}));
  EXPECT_EQ(cut(16), Runs({16}));
  EXPECT_EQ(cut(300), Runs({256, 64}));
}

// 17 rows: 64 + 32 in one run, 2 * (16 + 32) in two; equal, so one run.
// 130 rows: 256 + 32 in one run, 2 * (64 + 32) + (16 + 32) in three.
TEST_F(Cutting, PadsWhereThatCostsLess) {
  EXPECT_EQ(cut(17), Runs({64}));
  EXPECT_EQ(cut(130), Runs({64, 64, 16}));
  EXPECT_EQ(cut(200), Runs({256}));
}

TEST_F(Cutting, DecodesInTheSmallestThatHoldsAll) {
  EXPECT_EQ(cut(3, {1, 2, 4, 8}), Runs({4}));
  EXPECT_EQ(cut(5, {1, 2, 4, 8}), Runs({8}));
  EXPECT_EQ(cut(9, {1, 2, 4, 8}), Runs({8, 1}));
}

TEST_F(Cutting, TakesAnyNumberWhereRowsAreOpen) {
  EXPECT_EQ(cut(17, {dynamicDim}), Runs({17}));
}
