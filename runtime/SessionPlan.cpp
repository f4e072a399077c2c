#include "runtime/SessionPlan.h"
#include "runtime/ValueSize.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <set>

namespace tandem {

namespace {

std::vector<Port> requiredPorts(const Program &program) {
  switch (program.kind) {
  case ProgramKind::Head:
    return {Port::Hidden, Port::Logits};
  case ProgramKind::Forward:
    return {Port::Tokens, Port::Positions,
            program.outputs.contains("logits") ? Port::Logits : Port::Hidden};
  case ProgramKind::Prefill:
    return {Port::Tokens,      Port::Positions, Port::Sequences,
            Port::BlockTables, Port::Valid,     Port::Hidden};
  case ProgramKind::Decode:
    return {Port::Tokens,      Port::Positions, Port::Sequences,
            Port::BlockTables, Port::Valid,     Port::Logits};
  }
  return {};
}

} // namespace

ProgramSet selectPrograms(const Executable &executable,
                          const SessionOptions &options) {
  ProgramSet set;
  for (const Program &program : executable.programs) {
    bool isForward = program.kind == ProgramKind::Forward;
    bool isHead = program.kind == ProgramKind::Head;
    if (isHead || (isForward ? options.withForward : options.withCache))
      set[program.kind].push_back({&program, nullptr});
  }
  for (Buckets &buckets : set.kinds)
    std::ranges::stable_sort(buckets, {}, &Bucket::rows);
  return set;
}

Result<void> checkSignature(const Program &program,
                            const Executable &executable) {
  bool isForward = program.kind == ProgramKind::Forward;
  if (program.rows < 1 && !(isForward && program.rows == dynamicDim))
    return failure("program '{}': got {} rows, expected at least 1",
                   program.name, program.rows);
  std::set<int32_t> named;
  for (const auto *names : {&program.inputs, &program.outputs})
    for (const auto &[name, value] : *names)
      if (!named.insert(value).second)
        return failure("program '{}': '{}': got a value that has another name "
                       "too, expected one of its own",
                       program.name, name);
  for (Port port : requiredPorts(program)) {
    auto [type, shape] = portType(port, program, executable);
    const Value *value = find(program, port);
    if (!value)
      return failure("program '{}': got no '{}', expected one", program.name,
                     name(port));
    if (value->type != type || value->shape != shape)
      return failure("program '{}': '{}': got {} [{}], expected {} [{}]",
                     program.name, name(port), name(value->type),
                     fmt::join(value->shape, ", "), name(type),
                     fmt::join(shape, ", "));
  }
  return {};
}

PortSizes portSizes(const Program &program, int64_t dynamicSize) {
  PortSizes sizes = {};
  for (size_t i = 0; i < numPorts; ++i)
    if (const Value *value = find(program, static_cast<Port>(i)))
      if (dynamicSize != dynamicDim || !isDynamic(*value))
        sizes[i] = spanInBytes(withSize(*value, dynamicSize));
  return sizes;
}

PortSizes portSizes(const ProgramSet &programs, int64_t numSequences) {
  PortSizes sizes = {};
  for (const Buckets &buckets : programs.kinds)
    for (const Bucket &bucket : buckets) {
      PortSizes own = portSizes(*bucket.program, dynamicDim);
      for (size_t i = 0; i < numPorts; ++i)
        sizes[i] = std::max(sizes[i], own[i]);
    }
  if (const Buckets &decode = programs[ProgramKind::Decode]; !decode.empty())
    if (const Value *logits = find(*decode.front().program, Port::Logits)) {
      int64_t rowBytes = logits->shape.back() * sizeInBytes(logits->type);
      int64_t &bytes = sizes[static_cast<size_t>(Port::Logits)];
      bytes = std::max(bytes, paddedRows(decode, numSequences) * rowBytes);
    }
  return sizes;
}

int64_t transientBytes(const ProgramSet &programs) {
  int64_t bytes = 0;
  for (const Buckets &buckets : programs.kinds)
    for (const Bucket &bucket : buckets)
      bytes = std::max(bytes, bucket.program->transientBytes);
  return bytes;
}

} // namespace tandem
