#include "runtime/ThreadPool.h"
#include "backend/kernels/OneDnn.h"

#include <chrono>
#include <sched.h>
#include <system_error>

namespace tandem {

namespace {

/// The processors that this process may use, in order.
std::vector<int> usableProcessors() {
  cpu_set_t set;
  std::vector<int> processors;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set))
        processors.push_back(i);
  return processors;
}

void pin(std::thread &thread, int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  // Where it is refused, the system's scheduler places the thread.
  ::pthread_setaffinity_np(thread.native_handle(), sizeof set, &set);
}

} // namespace

int ThreadPool::numProcessors() {
  return std::max<int>(1, static_cast<int>(usableProcessors().size()));
}

ThreadPool::ThreadPool(int numThreads)
    : maxPauses(numThreads <= numProcessors() ? 2000 : 1) {}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(int numThreads) {
  if (numThreads < 1)
    return failure("threads: got {}, expected at least 1", numThreads);
  prepareOneDnnThread();
  std::unique_ptr<ThreadPool> pool(new ThreadPool(numThreads));
  auto processors = usableProcessors();
  bool pinned = numThreads <= static_cast<int>(processors.size());
  try {
    pool->workers.reserve(numThreads - 1);
    for (int thread = 1; thread < numThreads; ++thread) {
      pool->workers.emplace_back(
          [&pool = *pool, thread] { pool.work(thread); });
      if (pinned)
        pin(pool->workers.back(), processors[thread]);
    }
  } catch (const std::system_error &error) {
    return failure("threads: got {} of {}: {}", pool->numThreads(), numThreads,
                   error.what());
  }
  return pool;
}

void ThreadPool::work(int thread) {
  prepareOneDnnThread();
  for (uint32_t seen = 0;; ++seen) {
    waitForTask(seen);
    if (stopping)
      return;
    task(context, thread, numThreads());
    numFinished.fetch_add(1, std::memory_order_release);
  }
}

void ThreadPool::waitForTask(uint32_t seen) const {
  using Clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::milliseconds(1);
  constexpr int pausesPerLook = 64; // at the clock
  auto begin = Clock::now();
  do {
    for (int i = 0; i < pausesPerLook; ++i) {
      if (generation.load(std::memory_order_acquire) != seen)
        return;
      __builtin_ia32_pause();
    }
    if (maxPauses < pausesPerLook)
      ::sched_yield();
  } while (Clock::now() - begin < patience);
  generation.wait(seen);
}

ThreadPool::~ThreadPool() {
  stopping = true;
  generation.fetch_add(1);
  generation.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::run(Task newTask, void *newContext) {
  if (workers.empty())
    return newTask(newContext, 0, 1);
  task = newTask;
  context = newContext;
  numFinished.store(0, std::memory_order_relaxed);
  // Sequentially consistent: notify_all() must not look for sleepers before
  // the new number can be seen.
  generation.fetch_add(1);
  generation.notify_all();
  newTask(newContext, 0, numThreads());
  auto numWorkers = static_cast<uint32_t>(workers.size());
  for (uint32_t seen;
       (seen = numFinished.load(std::memory_order_acquire)) != numWorkers;)
    spinWhile(numFinished, seen);
}

void ThreadPool::spinWhile(const std::atomic<uint32_t> &number,
                           uint32_t seen) const {
  for (int pauses = 0; number.load(std::memory_order_acquire) == seen;
       ++pauses) {
    if (pauses < maxPauses)
      __builtin_ia32_pause();
    else
      ::sched_yield();
  }
}

void ThreadPool::barrier() {
  // Read before arriving: it cannot move on without this thread.
  uint32_t seen = phase.load(std::memory_order_acquire);
  auto last = static_cast<uint32_t>(workers.size());
  if (numArrived.fetch_add(1, std::memory_order_acq_rel) == last) {
    numArrived.store(0, std::memory_order_relaxed);
    phase.store(seen + 1, std::memory_order_release);
  } else {
    spinWhile(phase, seen);
  }
}

} // namespace tandem
