#include "tests/unit/runtime/ProgramBuilder.h"

#include <utility>

namespace tandem::testing {

ProgramBuilder::ProgramBuilder(std::string name, ProgramKind kind, int64_t rows,
                               bool planned) {
  program.name = std::move(name);
  program.kind = kind;
  program.rows = rows;
  program.planned = planned;
}

int32_t ProgramBuilder::add(ElementType type, std::vector<int64_t> shape,
                            Segment segment) {
  Value value;
  value.type = type;
  value.rowStride = shape.back();
  value.shape = std::move(shape);
  value.segment = segment;
  program.values.push_back(std::move(value));
  return static_cast<int32_t>(program.values.size()) - 1;
}

void ProgramBuilder::place(int32_t value, int64_t bytes) {
  if (!program.planned)
    return;
  program.values[value].offset = program.transientBytes;
  program.transientBytes += (bytes + 63) / 64 * 64;
}

int32_t ProgramBuilder::constant(std::vector<int64_t> shape, int64_t offset,
                                 Layout layout) {
  int32_t value = add(ElementType::F32, std::move(shape), Segment::Constant);
  program.values[value].offset = offset;
  program.values[value].layout = layout;
  return value;
}

int32_t ProgramBuilder::cache(const KvCacheLayout &layout) {
  return add(ElementType::F32,
             {dynamicDim, layout.layers, 2, layout.heads, layout.blockSize,
              layout.headSize},
             Segment::Persistent);
}

int32_t ProgramBuilder::input(const std::string &name, ElementType type,
                              std::vector<int64_t> shape) {
  return program.inputs[name] = add(type, std::move(shape), Segment::External);
}

int32_t ProgramBuilder::output(const std::string &name,
                               std::vector<int64_t> shape) {
  auto segment = program.planned ? Segment::External : Segment::Transient;
  return program.outputs[name] =
             add(ElementType::F32, std::move(shape), segment);
}

int32_t ProgramBuilder::transient(std::vector<int64_t> shape) {
  int32_t value = add(ElementType::F32, shape, Segment::Transient);
  int64_t bytes = 4;
  for (int64_t size : shape)
    bytes *= size;
  place(value, bytes);
  return value;
}

int32_t ProgramBuilder::scratch(int64_t bytes) {
  if (!program.planned)
    return -1;
  int32_t value = add(ElementType::F32, {bytes}, Segment::Transient);
  place(value, bytes);
  return value;
}

void ProgramBuilder::step(const std::string &kernel,
                          std::vector<int32_t> inputs, int32_t output,
                          Attributes attributes, int32_t scratch) {
  program.steps.push_back({.kernel = kernel,
                           .inputs = std::move(inputs),
                           .outputs = {output},
                           .scratch = scratch,
                           .attributes = std::move(attributes),
                           .where = kernel + " here"});
}

int32_t ProgramBuilder::op(const std::string &kernel,
                           std::vector<int32_t> inputs,
                           std::vector<int64_t> shape, Attributes attributes,
                           int32_t scratch) {
  int32_t output = transient(std::move(shape));
  step(kernel, std::move(inputs), output, std::move(attributes), scratch);
  return output;
}

} // namespace tandem::testing
