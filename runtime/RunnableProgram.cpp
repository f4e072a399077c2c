#include "runtime/RunnableProgram.h"

#include "runtime/BoundProgram.h"
#include "runtime/EagerProgram.h"
#include "runtime/ValueSize.h"

#include <algorithm>

namespace tandem {

KernelSpec specFor(const Program &program, const Step &step,
                   const ProgramContext &context, int64_t dynamicSize) {
  auto described = [&](int32_t index) {
    const Value &value = program.values[index];
    return withSize(value, value.segment == Segment::Persistent
                               ? context.numCacheBlocks
                               : dynamicSize);
  };
  KernelSpec spec;
  spec.attributes = step.attributes;
  spec.numThreads = context.threads.numThreads();
  for (int32_t index : step.inputs)
    spec.inputs.push_back(described(index));
  for (int32_t index : step.outputs)
    spec.outputs.push_back(described(index));
  if (step.scratch != -1)
    spec.scratchBytes = scratchSizeInBytes(described(step.scratch));
  return spec;
}

std::string describeStep(const Program &program, const Step &step) {
  std::string text = fmt::format("program '{}': step {} ({})", program.name,
                                 &step - program.steps.data(), step.kernel);
  if (!step.where.empty())
    text += " of " + step.where;
  return text;
}

bool isPlanned(const Program &program) {
  return program.planned ||
         std::ranges::none_of(program.values, [](const Value &value) {
           return value.segment == Segment::Transient ||
                  (isDynamic(value) && value.segment != Segment::Persistent);
         });
}

Result<std::unique_ptr<RunnableProgram>>
makeRunnable(const Program &program, const ProgramContext &context) {
  if (isPlanned(program))
    return BoundProgram::create(program, context);
  return EagerProgram::create(program, context);
}

} // namespace tandem
