#pragma once

#include <chrono>

namespace tandem {

/// Runs from when it is made.
class Stopwatch {
public:
  double elapsedMs() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start)
        .count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

} // namespace tandem
