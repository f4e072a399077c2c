#include "runtime/EagerProgram.h"
#include "runtime/ValueSize.h"

#include <numeric>

namespace tandem {

/// As many kernels of passing shapes as are kept: those of about a hundred
/// lengths of a cache.
static constexpr size_t maxDynamicKernels = 4096;
/// Less than this is done sooner than a second thread has begun.
static constexpr int64_t minSharedBytes = int64_t{32} << 10;

EagerProgram::EagerProgram(const Program &program,
                           const ProgramContext &context)
    : RunnableProgram(program, context), portOf(program.values.size()),
      tensorOf(program.values.size()), tensors(program.values.size()),
      steps(program.steps.size()) {}

Result<std::unique_ptr<RunnableProgram>>
EagerProgram::create(const Program &program, const ProgramContext &context) {
  std::unique_ptr<EagerProgram> eager(new EagerProgram(program, context));
  for (const auto *names : {&program.inputs, &program.outputs})
    for (const auto &[name, value] : *names)
      eager->portOf[value] = parsePort(name);
  eager->findViews();
  eager->findLastUses();
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step &step = program.steps[i];
    for (const auto *operands : {&step.inputs, &step.outputs})
      for (int32_t operand : *operands) {
        const Value &value = program.values[operand];
        if (value.segment != Segment::Persistent && isDynamic(value))
          eager->steps[i].isDynamic = true;
      }
  }
  return eager;
}

void EagerProgram::findViews() {
  std::iota(tensorOf.begin(), tensorOf.end(), 0);
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = program.steps[i];
    if (step.kernel != "reshape" || step.inputs.size() != 1 ||
        step.outputs.size() != 1)
      continue;
    int32_t output = step.outputs[0];
    // What the caller is to find in its own memory is copied there.
    if (portOf[output] || program.values[output].segment != Segment::Transient)
      continue;
    tensorOf[output] = tensorOf[step.inputs[0]];
    steps[i].isView = true;
  }
}

void EagerProgram::findLastUses() {
  std::vector<bool> seen(program.values.size());
  for (size_t i = steps.size(); i-- > 0;) {
    const Step &step = program.steps[i];
    for (const auto *operands : {&step.inputs, &step.outputs})
      for (int32_t operand : *operands) {
        int32_t tensor = tensorOf[operand];
        if (!seen[tensor])
          steps[i].dead.push_back(tensor);
        seen[tensor] = true;
      }
  }
}

Result<void> EagerProgram::run(const PortAddresses &addresses,
                               int64_t dynamicSize) {
  ports = addresses;
  if (dynamicKernels.size() >= maxDynamicKernels) {
    dynamicKernels.clear();
    for (EagerStep &step : steps)
      if (step.isDynamic)
        step.kernel = nullptr;
  }
  auto ran = runSteps(dynamicSize);
  if (!ran)
    for (HeapTensor &tensor : tensors)
      tensor.release();
  return ran;
}

Result<void> EagerProgram::runSteps(int64_t dynamicSize) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].isView)
      if (auto ran = runStep(i, dynamicSize); !ran)
        return ran;
    if (observer)
      if (auto shown = showStep(i, dynamicSize); !shown)
        return shown;
    for (int32_t tensor : steps[i].dead)
      tensors[tensor].release();
  }
  return {};
}

Result<void> EagerProgram::runStep(size_t number, int64_t dynamicSize) {
  const Step &step = program.steps[number];
  EagerStep &eager = steps[number];
  if (auto prepared = prepareKernel(number, dynamicSize); !prepared)
    return prepared;
  eager.operands.clear();
  for (const auto *operands : {&step.inputs, &step.outputs})
    for (int32_t operand : *operands) {
      auto address = addressOf(operand, step, dynamicSize);
      if (!address)
        return std::unexpected(address.error());
      eager.operands.push_back(*address);
    }
  void **first = eager.operands.data();
  KernelOperands operands{
      .inputs = {first, step.inputs.size()},
      .outputs = {first + step.inputs.size(), step.outputs.size()}};
  HeapTensor scratch;
  if (eager.scratchBytes > 0) {
    auto allocated =
        HeapTensor::allocate(context.memory, eager.scratchBytes, "scratch");
    if (!allocated)
      return std::unexpected(allocated.error());
    scratch = std::move(*allocated);
    operands.scratch = static_cast<std::byte *>(scratch.data());
  }
  if (eager.runsAlone)
    eager.kernel->run(operands, 0, 1);
  else
    context.threads.run([&](int thread, int numThreads) {
      eager.kernel->run(operands, thread, numThreads);
    });
  return {};
}

Result<void> EagerProgram::showStep(size_t number, int64_t dynamicSize) {
  const Step &step = program.steps[number];
  std::vector<void *> outputs;
  for (int32_t output : step.outputs) {
    auto address = addressOf(output, step, dynamicSize);
    if (!address)
      return std::unexpected(address.error());
    outputs.push_back(*address);
  }
  observer({.program = program,
            .step = step,
            .outputs = outputs,
            .ports = ports,
            .dynamicSize = dynamicSize});
  return {};
}

Result<void> EagerProgram::prepareKernel(size_t number, int64_t dynamicSize) {
  const Step &step = program.steps[number];
  EagerStep &eager = steps[number];
  if (eager.kernel && (!eager.isDynamic || eager.createdFor == dynamicSize))
    return {};
  KernelSpec spec = specFor(program, step, context, dynamicSize);
  if (step.scratch == -1)
    spec.scratchBytes = unplannedScratchBytes(step.kernel, spec);
  auto kernel = (eager.isDynamic ? dynamicKernels : context.kernels)
                    .get(step.kernel, spec);
  if (!kernel)
    return failure("{}: {}", describeStep(program, step),
                   kernel.error().message);
  int64_t bytes = 0;
  for (const auto *values : {&spec.inputs, &spec.outputs})
    for (const Value &value : *values)
      if (value.segment != Segment::Persistent)
        bytes += spanInBytes(value);
  eager.kernel = *kernel;
  eager.scratchBytes = spec.scratchBytes;
  eager.runsAlone = bytes < minSharedBytes;
  eager.createdFor = dynamicSize;
  return {};
}

/// Allocates the memory of a value at its first use, as an output.
Result<void *> EagerProgram::addressOf(int32_t index, const Step &step,
                                       int64_t dynamicSize) {
  int32_t tensor = tensorOf[index];
  if (portOf[tensor])
    return ports[static_cast<size_t>(*portOf[tensor])];
  const Value &value = program.values[tensor];
  if (value.segment == Segment::Constant)
    return context.constants + value.offset;
  if (value.segment == Segment::Persistent)
    return context.persistent + value.offset;
  if (!tensors[tensor].data()) {
    auto allocated = HeapTensor::allocate(
        context.memory, spanInBytes(withSize(value, dynamicSize)),
        step.where.empty() ? step.kernel : step.where);
    if (!allocated)
      return std::unexpected(allocated.error());
    tensors[tensor] = std::move(*allocated);
  }
  return tensors[tensor].data();
}

} // namespace tandem
