#include "runtime/Session.h"
#include "backend/ExecutableCheck.h"

#include <algorithm>
#include <numeric>

namespace tandem {

Session::Session(std::shared_ptr<const Executable> executable, Buffer constants,
                 std::shared_ptr<MemoryTracker> memory,
                 const SessionOptions &options)
    : executable(std::move(executable)), memory(std::move(memory)),
      options(options), constants(std::move(constants)),
      programs(selectPrograms(*this->executable, options)) {}

int64_t Session::plannedBytes(const Executable &executable,
                              const SessionOptions &options) {
  ProgramSet programs = selectPrograms(executable, options);
  PortSizes external = portSizes(programs, options.numSequences);
  int64_t bytes = executable.constantBytes + transientBytes(programs);
  if (programs.usesCache())
    bytes += KvCache::sizeInBytes(executable.kvCache, options.numSequences);
  return std::accumulate(external.begin(), external.end(), bytes);
}

Result<std::unique_ptr<Session>>
Session::create(std::shared_ptr<const Executable> executable, Buffer constants,
                std::shared_ptr<MemoryTracker> memory,
                const SessionOptions &options) {
  std::unique_ptr<Session> session(new Session(
      std::move(executable), std::move(constants), std::move(memory), options));
  if (auto checked = session->check(); !checked)
    return std::unexpected(checked.error());
  if (auto allocated = session->allocate(); !allocated)
    return std::unexpected(allocated.error());
  auto threads = ThreadPool::create(
      options.numThreads ? options.numThreads
                         : std::min(session->executable->numThreads,
                                    ThreadPool::numProcessors()));
  if (!threads)
    return std::unexpected(threads.error());
  session->threads = std::move(*threads);
  if (auto made = session->makeProgramsRunnable(); !made)
    return std::unexpected(made.error());
  return session;
}

Result<void> Session::check() const {
  if (auto checked = checkExecutable(*executable); !checked)
    return checked;
  for (const Buckets &buckets : programs.kinds)
    for (const Bucket &bucket : buckets)
      if (auto checked = checkSignature(*bucket.program, *executable); !checked)
        return checked;
  if (constants.size() != executable->constantBytes)
    return failure("constants: got {} bytes, expected {}", constants.size(),
                   executable->constantBytes);
  if (options.numThreads < 0 || options.numThreads > executable->numThreads)
    return failure("threads: got {}, expected at most the {} it was compiled "
                   "for",
                   options.numThreads, executable->numThreads);
  return checkMemoryLimit(*executable, options);
}

Result<void> Session::checkMemoryLimit(const Executable &executable,
                                       const SessionOptions &options) {
  int64_t planned = plannedBytes(executable, options);
  if (options.memoryLimit && planned > *options.memoryLimit)
    return failure("memory: got a plan of {} bytes, expected at most {}",
                   planned, *options.memoryLimit);
  return {};
}

Result<void> Session::allocate() {
  if (options.memoryLimit)
    memory->setLimit(*options.memoryLimit);
  if (programs.usesCache()) {
    auto allocated =
        KvCache::allocate(*memory, executable->kvCache, options.numSequences);
    if (!allocated)
      return std::unexpected(allocated.error());
    cache = std::move(*allocated);
  }
  auto allocated =
      Buffer::allocate(*memory, transientBytes(programs), "transient memory");
  if (!allocated)
    return std::unexpected(allocated.error());
  arena = std::move(*allocated);
  return externals.reserve(*memory, portSizes(programs, options.numSequences));
}

Result<void> Session::makeProgramsRunnable() {
  ProgramContext context{.executable = *executable,
                         .threads = *threads,
                         .kernels = kernels,
                         .memory = *memory,
                         .constants = constants.data(),
                         .persistent = cache.data(),
                         .transient = arena.data(),
                         .numCacheBlocks = cache.numBlocks()};
  for (Buckets &buckets : programs.kinds)
    for (Bucket &bucket : buckets) {
      auto made = makeRunnable(*bucket.program, context);
      if (!made)
        return std::unexpected(made.error());
      bucket.runnable = std::move(*made);
    }
  return {};
}

int64_t Session::positions() const {
  return programs.usesCache() ? executable->kvCache.positions
                              : executable->model.positions;
}

void Session::reset(int64_t sequence) {
  if (cache.checkSequence(sequence))
    cache.setLength(sequence, 0);
}

int64_t Session::maxDecodeRows() const {
  const Buckets &decode = programs[ProgramKind::Decode];
  if (decode.empty())
    return 0;
  return std::max(decode.back().rows(), options.numSequences);
}

void Session::observe(const StepObserver &observer) {
  for (Buckets &buckets : programs.kinds)
    for (Bucket &bucket : buckets)
      bucket.runnable->observe(observer);
}

} // namespace tandem
