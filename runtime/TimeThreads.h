#pragma once

#include <chrono>
#include <thread>
#include <vector>

namespace tandem {

/// Seconds until each of `numThreads` threads has done `work(thread)`.
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

} // namespace tandem
