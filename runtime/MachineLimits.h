#pragma once

#include <cstdint>
#include <string>

namespace tandem {

/// What this machine can do at most, measured: the limits that timings stand
/// beside.
struct MachineLimits {
  std::string cpu; // as /proc/cpuinfo names it
  int numThreads = 0;
  double readGbPerS = 0; // reading memory in address order, all threads
  double f32Gflops = 0;  // fused multiply-adds on registers, all threads
};

/// Reads a buffer several times the last-level cache, and multiplies for a
/// while; the best of a few passes of each. Takes about a second.
MachineLimits measureMachine(int numThreads);

} // namespace tandem
