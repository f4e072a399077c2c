#include "runtime/BucketPlan.h"

#include <algorithm>
#include <limits>

namespace tandem {

namespace {

/// Sizes that a bucket may have are so many rows apart.
constexpr int64_t rowsApart = 8;
constexpr int64_t mostRows = 512;

/// The smallest size that holds `numRows`, none above `largest`.
int64_t candidateHolding(int64_t numRows, int64_t largest) {
  int64_t rows = (numRows + rowsApart - 1) / rowsApart * rowsApart;
  return std::min(rows, largest);
}

/// Buckets and what they cost where a rest goes into one of them.
struct Choice {
  std::vector<int64_t> buckets;
  int64_t cost = std::numeric_limits<int64_t>::max();
};

/// The best buckets up to `largest`, which is one of them, for so many rests
/// of each size; `rests` are counted by the smallest candidate that holds them.
Choice chooseUpTo(int64_t largest, std::map<int64_t, int64_t> rests) {
  rests.try_emplace(largest, 0);
  std::vector<Choice> best = {{{}, 0}}; // [j]: of the first j candidates
  std::vector<int64_t> before = {0};    // [j]: rests of the first j
  for (auto [rows, count] : rests) {
    before.push_back(before.back() + count);
    Choice choice;
    size_t from = 0;
    for (size_t i = 0; i < best.size(); ++i) {
      int64_t cost = best[i].cost +
                     (before.back() - before[i]) * costOfRun(rows) +
                     rowsOfOneProgram;
      if (cost < choice.cost) {
        choice.cost = cost;
        from = i;
      }
    }
    choice.buckets = best[from].buckets;
    choice.buckets.push_back(rows);
    best.push_back(std::move(choice));
  }
  return best.back();
}

Choice chooseWithLargest(int64_t largest, const PromptLengths &lengths) {
  int64_t whole = 0;
  std::map<int64_t, int64_t> rests;
  for (auto [length, count] : lengths) {
    whole += count * (length / largest) * costOfRun(largest);
    if (int64_t rest = length % largest)
      rests[candidateHolding(rest, largest)] += count;
  }
  Choice choice = chooseUpTo(largest, std::move(rests));
  choice.cost += whole;
  return choice;
}

} // namespace

BucketPlan costOfBuckets(const std::vector<int64_t> &buckets,
                         const PromptLengths &lengths) {
  std::vector<Program> programs(buckets.size());
  Buckets runnable;
  for (size_t i = 0; i < buckets.size(); ++i) {
    programs[i].rows = buckets[i];
    runnable.push_back({&programs[i], nullptr});
  }
  BucketPlan plan{buckets, {}, std::ssize(buckets) * rowsOfOneProgram};
  for (auto [length, count] : lengths) {
    PlannedLength planned{.length = length, .count = count};
    for (int64_t rest = length; rest > 0;) {
      int64_t rows = nextBucket(runnable, rest).rows();
      planned.runs.push_back(rows);
      planned.paddedRows += count * std::max<int64_t>(rows - rest, 0);
      planned.cost += count * costOfRun(rows);
      rest -= rows;
    }
    plan.cost += planned.cost;
    plan.lengths.push_back(std::move(planned));
  }
  return plan;
}

BucketPlan planBuckets(const PromptLengths &lengths, int64_t positions) {
  int64_t most = std::min(mostRows, positions);
  Choice best;
  for (int64_t rows = rowsApart; rows < most + rowsApart; rows += rowsApart) {
    Choice choice = chooseWithLargest(std::min(rows, most), lengths);
    if (choice.cost < best.cost)
      best = std::move(choice);
  }
  return costOfBuckets(best.buckets, lengths);
}

} // namespace tandem
