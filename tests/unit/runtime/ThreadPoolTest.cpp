#include "runtime/ThreadPool.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace tandem;

TEST(ThreadPool, RunsEveryThreadOnce) {
  for (int numThreads : {1, 2, 3}) {
    auto pool = ThreadPool::create(numThreads);
    ASSERT_TRUE(pool) << pool.error().message;
    EXPECT_EQ((*pool)->numThreads(), numThreads);
    std::vector<int> runs(numThreads);
    for (int i = 0; i < 3000; ++i)
      (*pool)->run([&](int thread, int count) {
        if (count == numThreads)
          ++runs[thread];
      });
    EXPECT_EQ(runs, std::vector<int>(numThreads, 3000));
  }
}

TEST(ThreadPool, BarriersOrderTheThreads) {
  for (int numThreads : {1, 2, 3}) {
    auto pool = ThreadPool::create(numThreads);
    ASSERT_TRUE(pool) << pool.error().message;
    constexpr int rounds = 1000;
    std::vector<int> written(numThreads), wrong(numThreads);
    (*pool)->run([&](int thread, int count) {
      for (int round = 1; round <= rounds; ++round) {
        written[thread] = round;
        (*pool)->barrier();
        for (int other = 0; other < count; ++other)
          wrong[thread] += written[other] != round;
        (*pool)->barrier();
      }
    });
    EXPECT_EQ(wrong, std::vector<int>(numThreads));
  }
}

TEST(ThreadPool, WakesSleepingThreads) {
  auto pool = ThreadPool::create(3);
  ASSERT_TRUE(pool);
  std::atomic<int> runs = 0;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 4));
    (*pool)->run([&](int, int) { ++runs; });
  }
  EXPECT_EQ(runs, 60);
}

TEST(ThreadPool, NeedsAThread) {
  EXPECT_EQ(ThreadPool::create(0).error().message,
            "threads: got 0, expected at least 1");
}
