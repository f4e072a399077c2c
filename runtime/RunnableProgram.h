#pragma once

#include "backend/Buffer.h"
#include "backend/Signature.h"
#include "runtime/KernelCache.h"
#include "runtime/ThreadPool.h"

#include <functional>

namespace tandem {

/// What programs of one session share.
struct ProgramContext {
  const Executable &executable;
  ThreadPool &threads;
  KernelCache &kernels;
  MemoryTracker &memory;
  std::byte *constants = nullptr;  // executable.constantBytes
  std::byte *persistent = nullptr; // the KV cache, of numCacheBlocks
  std::byte *transient = nullptr;  // as large as the largest planned program's
  int64_t numCacheBlocks = 0;
};

/// A step that has just run: its outputs are whole, and nothing has been
/// written over them yet.
struct StepRun {
  const Program &program;
  const Step &step;
  std::span<void *const> outputs; // addresses, in the step's order
  const PortAddresses &ports;
  int64_t dynamicSize = 0; // what dynamicDim stands for in this run
};
/// Called on one thread while the others wait.
using StepObserver = std::function<void(const StepRun &run)>;

/// A program made ready to run, planned or eager. The program, and what its
/// context refers to, must outlive it.
class RunnableProgram {
public:
  RunnableProgram(const Program &program, const ProgramContext &context)
      : program(program), context(context) {}
  virtual ~RunnableProgram() = default;

  /// Runs every step on the context's threads. `ports` has the address of
  /// every input and output; `dynamicSize` is what dynamicDim stands for, if
  /// the program has one. Inputs are not checked. Only an eager program can
  /// fail: past the memory limit, or where a kernel cannot be created.
  virtual Result<void> run(const PortAddresses &ports, int64_t dynamicSize) = 0;

  /// From now on shows every step to `observer`, or to nobody where it is null.
  void observe(StepObserver observer) { this->observer = std::move(observer); }

  const Program &program;

protected:
  ProgramContext context;
  StepObserver observer; // null while nobody looks
};

/// What the kernel of a step is created for, with dynamicDim replaced.
KernelSpec specFor(const Program &program, const Step &step,
                   const ProgramContext &context, int64_t dynamicSize);

/// "program 'decode_1': step 7 (linear) of h.0.mlp", for messages.
std::string describeStep(const Program &program, const Step &step);

/// Whether a program needs no memory but what was planned for it: it is
/// `planned`, or has no values of its own.
bool isPlanned(const Program &program);

/// A BoundProgram if it is planned, else an EagerProgram. Expects what
/// checkExecutable() lets pass. Fails where a kernel cannot be created.
Result<std::unique_ptr<RunnableProgram>>
makeRunnable(const Program &program, const ProgramContext &context);

} // namespace tandem
