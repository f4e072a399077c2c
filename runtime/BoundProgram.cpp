#include "runtime/BoundProgram.h"
#include "runtime/ValueSize.h"

namespace tandem {

Result<std::unique_ptr<RunnableProgram>>
BoundProgram::create(const Program &program, const ProgramContext &context) {
  std::unique_ptr<BoundProgram> bound(new BoundProgram(program, context));
  size_t numOperands = 0;
  for (const Step &step : program.steps)
    numOperands += step.inputs.size() + step.outputs.size();
  bound->addresses.reserve(numOperands); // steps keep spans of it
  for (const Step &step : program.steps)
    if (auto added = bound->bindStep(step); !added)
      return std::unexpected(added.error());
  for (const auto *names : {&program.inputs, &program.outputs})
    for (const auto &[name, value] : *names) {
      size_t index = 0;
      for (const Step &step : program.steps)
        for (const auto *operands : {&step.inputs, &step.outputs})
          for (int32_t operand : *operands) {
            if (operand == value)
              bound->slots.push_back({*parsePort(name), index});
            ++index;
          }
    }
  return bound;
}

void *BoundProgram::addressOf(int32_t index) const {
  const Value &value = program.values[index];
  switch (value.segment) {
  case Segment::Constant:
    return context.constants + value.offset;
  case Segment::Persistent:
    return context.persistent + value.offset;
  case Segment::Transient:
    return context.transient + value.offset;
  case Segment::External:
    break;
  }
  return nullptr; // given with every run
}

Result<void> BoundProgram::bindStep(const Step &step) {
  auto kernel = context.kernels.get(
      step.kernel, specFor(program, step, context, dynamicDim));
  if (!kernel)
    return failure("{}: {}", describeStep(program, step),
                   kernel.error().message);
  size_t begin = addresses.size();
  for (const auto *operands : {&step.inputs, &step.outputs})
    for (int32_t operand : *operands)
      addresses.push_back(addressOf(operand));
  void **first = addresses.data() + begin;
  BoundStep bound{.kernel = *kernel,
                  .operands = {.inputs = {first, step.inputs.size()},
                               .outputs = {first + step.inputs.size(),
                                           step.outputs.size()}}};
  if (step.scratch != -1)
    bound.operands.scratch = static_cast<std::byte *>(addressOf(step.scratch));
  steps.push_back(bound);
  return {};
}

Result<void> BoundProgram::run(const PortAddresses &ports,
                               int64_t dynamicSize) {
  for (auto [port, index] : slots)
    addresses[index] = ports[static_cast<size_t>(port)];
  if (observer)
    context.threads.run([&](int thread, int n) {
      runStepsObserved(ports, dynamicSize, thread, n);
    });
  else
    context.threads.run([this](int thread, int n) { runSteps(thread, n); });
  return {};
}

void BoundProgram::runSteps(int thread, int numThreads) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i > 0)
      context.threads.barrier();
    steps[i].kernel->run(steps[i].operands, thread, numThreads);
  }
}

void BoundProgram::runStepsObserved(const PortAddresses &ports,
                                    int64_t dynamicSize, int thread,
                                    int numThreads) {
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].kernel->run(steps[i].operands, thread, numThreads);
    context.threads.barrier();
    if (thread == 0)
      observer({.program = program,
                .step = program.steps[i],
                .outputs = steps[i].operands.outputs,
                .ports = ports,
                .dynamicSize = dynamicSize});
    context.threads.barrier();
  }
}

} // namespace tandem
