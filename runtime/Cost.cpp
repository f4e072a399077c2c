#include "runtime/Cost.h"

#include <set>

namespace tandem {

namespace {

int64_t numElements(const Value &value) {
  int64_t count = 1;
  for (int64_t dim : value.shape)
    count *= dim;
  return count;
}

const Program *find(const Executable &executable, ProgramKind kind) {
  for (const Program &program : executable.programs)
    if (program.kind == kind)
      return &program;
  return nullptr;
}

/// The constants that `program` streams: all but tables it picks rows from.
std::set<int64_t> streamedOffsets(const Program &program) {
  std::set<int64_t> offsets;
  for (const Step &step : program.steps)
    for (int32_t input : step.inputs)
      if (program.values[input].segment == Segment::Constant &&
          step.kernel != "embedding")
        offsets.insert(program.values[input].offset);
  return offsets;
}

/// Multiply-adds of one row with the weights of `program`'s products.
double productsPerRow(const Program &program) {
  double count = 0;
  for (const Step &step : program.steps)
    if (step.kernel == "linear" || step.kernel == "matmul")
      if (const Value &weight = program.values[step.inputs[1]];
          weight.segment == Segment::Constant)
        count += numElements(weight);
  return count;
}

} // namespace

Cost decodeCost(const Executable &executable, int64_t cached) {
  Cost cost;
  const Program *decode = find(executable, ProgramKind::Decode);
  if (!decode)
    return cost;
  std::set<int64_t> streamed = streamedOffsets(*decode);
  for (const Constant &constant : executable.constants)
    if (streamed.contains(constant.offset))
      cost.bytes += packedSizeInBytes(constant.shape, constant.layout);
  cost.bytes += cached * executable.kvCache.bytesPerToken();
  const KvCacheLayout &cache = executable.kvCache;
  cost.flop = 2 * productsPerRow(*decode) +
              4.0 * cached * cache.layers * cache.heads * cache.headSize;
  return cost;
}

Cost prefillCost(const Executable &executable, int64_t numTokens) {
  Cost cost;
  const Program *body = find(executable, ProgramKind::Prefill);
  if (!body)
    body = find(executable, ProgramKind::Forward);
  const Program *head = find(executable, ProgramKind::Head);
  if (!body || !head)
    return cost;
  const ModelSummary &model = executable.model;
  double pairs = 0.5 * numTokens * (numTokens + 1); // of a row and a key
  cost.flop = 2 * productsPerRow(*body) * numTokens +
              4 * pairs * model.layers * model.embed +
              2 * productsPerRow(*head);
  return cost;
}

} // namespace tandem
