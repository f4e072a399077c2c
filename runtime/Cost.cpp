#include "runtime/Cost.h"

#include "runtime/ValueSize.h"
#include "support/OpCost.h"

#include <algorithm>
#include <set>

namespace tandem {

namespace {

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
    for (size_t i = 0; i < step.inputs.size(); ++i)
      if (const Value &input = program.values[step.inputs[i]];
          input.segment == Segment::Constant && !readsPart(step.kernel, i))
        offsets.insert(input.offset);
  return offsets;
}

/// The arrays among `values`, their open dimension closed with `size`.
std::vector<ArrayShape> arrays(const Program &program,
                               const std::vector<int32_t> &values,
                               int64_t size) {
  std::vector<ArrayShape> shapes;
  for (int32_t index : values)
    if (const Value &value = program.values[index];
        value.segment != Segment::Persistent)
      shapes.push_back(
          {withSize(value, size).shape, 8 * sizeInBytes(value.type)});
  return shapes;
}

/// FLOP of the matrix product that `step` is, or has in it; 0 for another.
/// What is open, or read of the cache, is `size` long.
double productFlop(const Program &program, const Step &step, int64_t size) {
  OpShape shape = {.op = step.kernel,
                   .inputs = arrays(program, step.inputs, size),
                   .outputs = arrays(program, step.outputs, size),
                   .activation = {},
                   .cache = {.sequences = 0, .positions = size}};
  std::optional<OpCost> cost = opCost(shape);
  return cost ? static_cast<double>(cost->productFlop) : 0;
}

bool readsConstant(const Program &program, const Step &step) {
  return std::ranges::any_of(step.inputs, [&](int32_t input) {
    return program.values[input].segment == Segment::Constant;
  });
}

/// What `step` multiplies: its first input's elements.
ElementType factorType(const Program &program, const Step &step) {
  return program.values[step.inputs.front()].type;
}

/// Adds the products of `numRows` rows with the weights of `program`.
void addWeightFlop(const Program &program, double numRows, Cost &cost) {
  auto rows = static_cast<double>(std::max<int64_t>(program.rows, 1));
  for (const Step &step : program.steps)
    if (readsConstant(program, step))
      cost.flop[factorType(program, step)] +=
          productFlop(program, step, 1) / rows * numRows; // an open one is 1
}

/// FLOP of the products of `numTokens` rows with each other, in all layers.
double attentionFlop(const ModelSummary &model, int64_t numTokens) {
  ArrayShape rows = {{numTokens, model.embed}};
  OpShape attention = {.op = "attention",
                       .inputs = {rows, rows, rows},
                       .outputs = {rows},
                       .activation = {},
                       .cache = {}};
  return static_cast<double>(opCost(attention)->productFlop) * model.layers;
}

} // namespace

double Cost::totalFlop() const {
  double total = 0;
  for (auto [type, count] : flop)
    total += count;
  return total;
}

Cost decodeCost(const Executable &executable, int64_t cached) {
  Cost cost;
  const Program *decode = find(executable, ProgramKind::Decode);
  if (!decode)
    return cost;
  std::set<int64_t> streamed = streamedOffsets(*decode);
  for (const Constant &constant : executable.constants)
    if (streamed.contains(constant.offset))
      cost.bytes += constant.sizeInBytes();
  cost.bytes += cached * executable.kvCache.bytesPerToken();
  for (const Step &step : decode->steps)
    cost.flop[factorType(*decode, step)] +=
        productFlop(*decode, step, cached) / static_cast<double>(decode->rows);
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
  addWeightFlop(*body, static_cast<double>(numTokens), cost);
  addWeightFlop(*head, 1, cost);
  cost.flop[ElementType::F32] += attentionFlop(executable.model, numTokens);
  return cost;
}

} // namespace tandem
