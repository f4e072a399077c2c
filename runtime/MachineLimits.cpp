#include "runtime/MachineLimits.h"

#include "backend/Buffer.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tandem {

namespace {

typedef float Floats16 __attribute__((vector_size(64)));

/// The sum of what it reads, so that the reading is not left out.
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
float readAll(const float *data, int64_t count) {
  const auto *vectors = reinterpret_cast<const Floats16 *>(data);
  Floats16 a = {}, b = {}, c = {}, d = {};
  for (int64_t i = 0; i + 4 <= count / 16; i += 4) {
    a += vectors[i];
    b += vectors[i + 1];
    c += vectors[i + 2];
    d += vectors[i + 3];
  }
  Floats16 sum = a + b + c + d;
  float total = 0;
  for (int i = 0; i < 16; ++i)
    total += sum[i];
  return total;
}

constexpr int64_t chains = 12; // hides 4 cycles of latency on 2 units

/// `rounds` multiply-adds of 16 floats on each of `chains` accumulators, which
/// start apart so that none is the same as another, and stay finite for a
/// `factor` below 1. The loops are unrolled so that all are in registers.
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
float multiplyAdd(int64_t rounds, float factor) {
  Floats16 x = Floats16{} + factor, y = 1.0f - x, sums[chains];
#pragma GCC unroll 16
  for (int64_t chain = 0; chain < chains; ++chain)
    sums[chain] = x + static_cast<float>(chain);
  for (int64_t i = 0; i < rounds; ++i)
#pragma GCC unroll 16
    for (Floats16 &sum : sums)
      sum = sum * x + y;
  Floats16 total = {};
#pragma GCC unroll 16
  for (const Floats16 &sum : sums)
    total += sum;
  return total[0] + total[7] + total[15];
}

/// Seconds until every thread has done `work(thread)`.
template <typename Work> double timeThreads(int numThreads, const Work &work) {
  auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (int thread = 1; thread < numThreads; ++thread)
      threads.emplace_back([&work, thread] { work(thread); });
    work(0);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

std::string cpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(std::min(line.find(':') + 2, line.size()));
  return "unknown";
}

double readBandwidth(int numThreads) {
  int64_t cache = std::max<int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), 64 << 20);
  int64_t memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  int64_t size = std::min(4 * cache, memory / 6) / 4096 * 4096;
  MemoryTracker uncounted(std::nullopt);
  auto buffer = Buffer::allocate(uncounted, size, "bandwidth test");
  if (!buffer)
    return 0;
  auto *data = reinterpret_cast<float *>(buffer->data());
  int64_t count = size / 4, part = count / numThreads / 64 * 64;
  std::vector<float> sums(numThreads);
  timeThreads(numThreads, [&](int t) { // pages that were never written are one
    std::fill_n(data + t * part, part, 1.0f);
  });
  double best = 0;
  for (int pass = 0; pass < 4; ++pass) {
    double seconds = timeThreads(
        numThreads, [&](int t) { sums[t] = readAll(data + t * part, part); });
    best = std::max(best, part * numThreads * 4 / seconds / 1e9);
  }
  return best;
}

double multiplyAddRate(int numThreads) {
  constexpr int64_t rounds = 4'000'000;
  std::vector<float> sums(numThreads);
  double best = 0;
  for (int pass = 0; pass < 10; ++pass) {
    double seconds = timeThreads(
        numThreads, [&](int t) { sums[t] = multiplyAdd(rounds, 0.999f); });
    best =
        std::max(best, 2.0 * 16 * chains * rounds * numThreads / seconds / 1e9);
  }
  return best;
}

} // namespace

MachineLimits measureMachine(int numThreads) {
  MachineLimits limits;
  limits.cpu = cpuName();
  limits.numThreads = numThreads;
  limits.readGbPerS = readBandwidth(numThreads);
  limits.f32Gflops = multiplyAddRate(numThreads);
  return limits;
}

} // namespace tandem
