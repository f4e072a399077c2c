#pragma once

#include "support/Result.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace tandem {

/// Threads that run one task together and meet at barriers inside it. They
/// spin, so that a barrier costs under a microsecond; workers that got no task
/// for a millisecond sleep until the next. One thread at a time may call run().
class ThreadPool {
public:
  using Task = void (*)(void *context, int thread, int numThreads);

  /// Starts `numThreads` - 1 workers; the caller of run() is thread 0. Workers
  /// are pinned to processors of their own where there are enough.
  static Result<std::unique_ptr<ThreadPool>> create(int numThreads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Calls task(context, thread, numThreads()) on every thread and waits for
  /// all. Allocates nothing.
  void run(Task task, void *context);
  /// Calls body(thread, numThreads()) on every thread.
  template <typename Body> void run(Body &&body) {
    run(
        [](void *context, int thread, int numThreads) {
          (*static_cast<std::remove_reference_t<Body> *>(context))(thread,
                                                                   numThreads);
        },
        &body);
  }

  /// Waits, inside a task, until every thread has come here.
  void barrier();

  int numThreads() const { return static_cast<int>(workers.size()) + 1; }
  /// Processors that this process may use.
  static int numProcessors();

private:
  explicit ThreadPool(int numThreads);
  void work(int thread);
  /// Returns when there is a task after number `seen`.
  void waitForTask(uint32_t seen) const;
  /// Pauses until `number` is no longer `seen`.
  void spinWhile(const std::atomic<uint32_t> &number, uint32_t seen) const;

  static constexpr size_t lineBytes = 64; // what spins has a line to itself

  int maxPauses; // before a waiting thread lets others have the processor
  Task task = nullptr;
  void *context = nullptr;
  bool stopping = false;
  alignas(lineBytes) std::atomic<uint32_t> generation = 0; // of tasks
  alignas(lineBytes) std::atomic<uint32_t> numFinished = 0;
  alignas(lineBytes) std::atomic<uint32_t> numArrived = 0; // at the barrier
  alignas(lineBytes) std::atomic<uint32_t> phase = 0;      // of the barrier
  std::vector<std::thread> workers;
};

} // namespace tandem
