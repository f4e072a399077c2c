#pragma once

#include "support/TensorView.h"

#include <string>

namespace tandem {

/// What this machine can do at most with the instructions that kernels may use
/// (cpuLevel()), measured: the limits that timings stand beside.
struct MachineLimits {
  std::string cpu; // as /proc/cpuinfo names it
  int numThreads = 0;
  double readGbPerS = 0; // reading memory in address order, all threads
  /// Multiply-adds on registers, all threads, two operations each, with the
  /// fastest instructions that the processor has for the type.
  double f32Gflops = 0, bf16Gflops = 0, int8Gops = 0;

  /// The rate for products of elements of `type`; qint4 is multiplied as int8.
  double gflops(ElementType type) const;
  /// The better of both in everything: neither is to blame for what else the
  /// machine did.
  static MachineLimits best(const MachineLimits &a, const MachineLimits &b);
};

/// Reads a buffer several times the last-level cache, and multiplies for a
/// while; the best of a few passes of each. Takes about two seconds.
MachineLimits measureMachine(int numThreads);

} // namespace tandem
