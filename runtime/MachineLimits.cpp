#include "runtime/MachineLimits.h"

#include "backend/Buffer.h"
#include "backend/kernels/MultiVersion.h"
#include "runtime/ArithmeticPeak.h"
#include "runtime/TimeThreads.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>
#include <vector>

namespace tandem {

namespace {

typedef float Floats16 __attribute__((vector_size(64)));

/// The sum of what it reads, so that the reading is not left out.
[[gnu::always_inline]] inline float readAll(const float *data, int64_t count) {
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
    double seconds = timeThreads(numThreads, [&](int t) {
      sums[t] = MultiVersion<readAll>::call(data + t * part, part);
    });
    best = std::max(best, part * numThreads * 4 / seconds / 1e9);
  }
  return best;
}

} // namespace

MachineLimits measureMachine(int numThreads) {
  MachineLimits limits;
  limits.cpu = cpuName();
  limits.numThreads = numThreads;
  limits.readGbPerS = readBandwidth(numThreads);
  limits.f32Gflops = peakGflops(ElementType::F32, numThreads);
  limits.bf16Gflops = peakGflops(ElementType::BF16, numThreads);
  limits.int8Gops = peakGflops(ElementType::QInt8, numThreads);
  return limits;
}

double MachineLimits::gflops(ElementType type) const {
  if (isQuantized(type))
    return int8Gops;
  return type == ElementType::BF16 ? bf16Gflops : f32Gflops;
}

MachineLimits MachineLimits::best(const MachineLimits &a,
                                  const MachineLimits &b) {
  MachineLimits limits = a;
  for (double MachineLimits::*limit :
       {&MachineLimits::readGbPerS, &MachineLimits::f32Gflops,
        &MachineLimits::bf16Gflops, &MachineLimits::int8Gops})
    limits.*limit = std::max(a.*limit, b.*limit);
  return limits;
}

} // namespace tandem
