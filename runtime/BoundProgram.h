#pragma once

#include "runtime/RunnableProgram.h"

namespace tandem {

/// A planned program: kernels are created and addresses resolved once. A run
/// writes the addresses of inputs and outputs into their places and walks the
/// steps, every thread through all of them, with a barrier after each. It
/// allocates nothing and creates nothing.
class BoundProgram final : public RunnableProgram {
public:
  static Result<std::unique_ptr<RunnableProgram>>
  create(const Program &program, const ProgramContext &context);

  Result<void> run(const PortAddresses &ports, int64_t dynamicSize) override;

private:
  struct BoundStep {
    const Kernel *kernel = nullptr;
    KernelOperands operands; // into `addresses`
  };
  /// An address that the caller gives.
  struct Slot {
    Port port;
    size_t index; // into `addresses`
  };

  BoundProgram(const Program &program, const ProgramContext &context)
      : RunnableProgram(program, context) {}

  Result<void> bindStep(const Step &step);
  void *addressOf(int32_t value) const;
  void runSteps(int thread, int numThreads);
  void runStepsObserved(const PortAddresses &ports, int64_t dynamicSize,
                        int thread, int numThreads);

  std::vector<void *> addresses; // of every step's inputs, then its outputs
  std::vector<Slot> slots;
  std::vector<BoundStep> steps;
};

} // namespace tandem
