#pragma once

#include "runtime/HeapTensor.h"
#include "runtime/RunnableProgram.h"

namespace tandem {

/// A program that nobody planned: each step's output is allocated when the step
/// runs and freed after its last use, each step is handed to the threads by
/// itself, and its kernel is created when its shapes are first seen and kept.
/// Reshapes share their input's memory.
class EagerProgram final : public RunnableProgram {
public:
  static Result<std::unique_ptr<RunnableProgram>>
  create(const Program &program, const ProgramContext &context);

  /// Fails past the memory limit, or where a kernel cannot be created; either
  /// way everything that the run allocated is freed again.
  Result<void> run(const PortAddresses &ports, int64_t dynamicSize) override;

private:
  struct EagerStep {
    bool isView = false;       // a reshape: its output is its input
    bool isDynamic = false;    // its shapes depend on dynamicSize
    std::vector<int32_t> dead; // tensors nobody needs after it
    const Kernel *kernel = nullptr;
    bool runsAlone = false;       // too little work to wake the threads for
    int64_t createdFor = 0;       // the dynamicSize of `kernel`
    int64_t scratchBytes = 0;     // that `kernel` takes
    std::vector<void *> operands; // inputs, then outputs
  };

  EagerProgram(const Program &program, const ProgramContext &context);

  void findViews();
  void findLastUses();
  Result<void> runSteps(int64_t dynamicSize);
  Result<void> runStep(size_t number, int64_t dynamicSize);
  Result<void> showStep(size_t number, int64_t dynamicSize);
  Result<void> prepareKernel(size_t number, int64_t dynamicSize);
  Result<void *> addressOf(int32_t value, const Step &step,
                           int64_t dynamicSize);

  KernelCache dynamicKernels; // of dynamic steps; emptied when it is full
  std::vector<std::optional<Port>> portOf; // by value
  std::vector<int32_t> tensorOf;   // by value: itself, or what it is a view of
  std::vector<HeapTensor> tensors; // by value, while it lives
  std::vector<EagerStep> steps;
  PortAddresses ports = {};
};

} // namespace tandem
