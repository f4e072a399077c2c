#include "tools/dump/Quantity.h"

#include <gtest/gtest.h>

using namespace tandem;

TEST(Quantity, HasTwoDigitsOrMore) {
  EXPECT_EQ(bytesText(int64_t{0}), "0 B");
  EXPECT_EQ(bytesText(int64_t{999}), "999 B");
  EXPECT_EQ(bytesText(int64_t{1000}), "1.0 KB");
  EXPECT_EQ(bytesText(int64_t{9949}), "9.9 KB");
  EXPECT_EQ(bytesText(int64_t{9950}), "10 KB");
  EXPECT_EQ(bytesText(int64_t{999499}), "999 KB");
  EXPECT_EQ(bytesText(int64_t{999500}), "1.0 MB");
  EXPECT_EQ(flopText(3'000'000'000), "3.0 GFLOP");
}

TEST(Quantity, OfWorkNamesWhereBytesLie) {
  Work work;
  EXPECT_EQ(workText(work), "reads 0 B; writes 0 B");
  work.read = {2000, 0, 12, 0};
  work.written = {0, 0, 0, 7};
  work.flop = 5;
  EXPECT_EQ(workText(work), "reads 2.0 KB constant + 12 B transient; writes "
                            "7 B external; 5 FLOP");
  work.isBound = true;
  EXPECT_EQ(workText(work).substr(0, 9), "at most: ");
}
