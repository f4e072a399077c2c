#include "backend/kernels/SpecReader.h"

#include <algorithm>

namespace tandem {

static std::string describe(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

int64_t sizeOf(const Value &value, size_t begin, size_t end) {
  int64_t size = 1;
  for (size_t i = begin; i < end; ++i)
    size *= value.shape[i];
  return size;
}

int64_t numElements(const Value &value) {
  return sizeOf(value, 0, value.shape.size());
}

int64_t rowStride(const Value &value) {
  if (isQuantized(value.type))
    return plainRowStride(value.shape.back(), value.type);
  return value.rowStride ? value.rowStride : value.shape.back();
}

/// "f32", "f32 or bf16", "f32, bf16 or qint8".
static std::string listOf(std::initializer_list<ElementType> types) {
  std::string text;
  for (const ElementType &type : types) {
    if (&type != types.begin())
      text += &type + 1 == types.end() ? " or " : ", ";
    text += name(type);
  }
  return text;
}

void SpecReader::expectOperands(size_t numInputs, size_t numOutputs) {
  if (spec.inputs.size() != numInputs)
    fail("inputs: got {}, expected {}", spec.inputs.size(), numInputs);
  if (spec.outputs.size() != numOutputs)
    fail("outputs: got {}, expected {}", spec.outputs.size(), numOutputs);
  if (spec.numThreads < 1)
    fail("threads: got {}, expected at least 1", spec.numThreads);
}

const Value &SpecReader::operand(const std::vector<Value> &values, size_t index,
                                 std::string_view name, size_t rank,
                                 Types types) {
  if (index >= values.size()) {
    fail("operand '{}': got none, expected one", name);
    return missing;
  }
  const Value &value = values[index];
  if (std::ranges::find(types, value.type) == types.end()) {
    fail("operand '{}': got {}, expected {}", name, tandem::name(value.type),
         listOf(types));
    return missing;
  }
  size_t got = value.shape.size();
  if (got == 0 || (rank != anyRank && got != rank)) {
    fail("operand '{}': got rank {}, expected {}", name, got,
         rank == anyRank ? std::string("at least 1") : std::to_string(rank));
    return missing;
  }
  for (int64_t size : value.shape)
    if (size < 1) {
      fail("operand '{}': got shape {}, expected known sizes above 0", name,
           describe(value.shape));
      return missing;
    }
  if (rowStride(value) < value.shape.back())
    fail("operand '{}': got row stride {}, expected at least {}", name,
         rowStride(value), value.shape.back());
  return value;
}

void SpecReader::expectDense(std::string_view name, const Value &value) {
  if (value.shape.empty() || numElements(value) == value.shape.back())
    return;
  if (!isQuantized(value.type) && rowStride(value) != value.shape.back())
    fail("operand '{}': got row stride {}, expected {}", name, rowStride(value),
         value.shape.back());
}

void SpecReader::expectPlain(std::string_view name, const Value &value) {
  if (value.layout != Layout::Plain)
    fail("operand '{}': got a panel layout, expected plain", name);
}

const Value &SpecReader::input(size_t index, std::string_view name, size_t rank,
                               ElementType type) {
  const Value &value = operand(spec.inputs, index, name, rank, {type});
  expectDense(name, value);
  expectPlain(name, value);
  return value;
}

const Value &SpecReader::view(size_t index, std::string_view name, size_t rank,
                              Types types) {
  const Value &value = operand(spec.inputs, index, name, rank, types);
  expectPlain(name, value);
  return value;
}

const Value &SpecReader::weight(size_t index, std::string_view name,
                                size_t rank, Types types) {
  const Value &value = operand(spec.inputs, index, name, rank, types);
  if (value.layout == Layout::Plain)
    expectDense(name, value);
  return value;
}

const Value &SpecReader::output(size_t index, std::string_view name,
                                size_t rank, Types types) {
  const Value &value = operand(spec.outputs, index, name, rank, types);
  expectDense(name, value);
  expectPlain(name, value);
  return value;
}

void SpecReader::expectShape(std::string_view name, const Value &value,
                             const std::vector<int64_t> &expected) {
  if (value.shape != expected)
    fail("operand '{}': got shape {}, expected {}", name, describe(value.shape),
         describe(expected));
}

void SpecReader::expectEqual(std::string_view what, int64_t got,
                             int64_t expected) {
  if (got != expected)
    fail("{}: got {}, expected {}", what, got, expected);
}

void SpecReader::expectWithin(std::string_view what, int64_t got, int64_t begin,
                              int64_t end) {
  if (got < begin || got >= end)
    fail("{}: got {}, expected {} to {}", what, got, begin, end - 1);
}

void SpecReader::expectScratch(int64_t bytesPerThread) {
  int64_t expected = bytesPerThread * spec.numThreads;
  if (spec.scratchBytes < expected)
    fail("scratch: got {} bytes, expected {} for {} threads", spec.scratchBytes,
         expected, spec.numThreads);
}

template <typename T> T SpecReader::attribute(std::string_view name) {
  auto found = spec.attributes.find(std::string(name));
  if (found == spec.attributes.end()) {
    fail("attribute '{}': got none, expected one", name);
    return {};
  }
  if (const T *value = std::get_if<T>(&found->second))
    return *value;
  fail("attribute '{}': got another type than expected", name);
  return {};
}

int64_t SpecReader::integer(std::string_view name,
                            std::optional<int64_t> otherwise) {
  if (otherwise && !spec.attributes.contains(std::string(name)))
    return *otherwise;
  return attribute<int64_t>(name);
}

double SpecReader::real(std::string_view name) {
  return attribute<double>(name);
}

std::string SpecReader::text(std::string_view name) {
  return attribute<std::string>(name);
}

std::vector<int64_t> SpecReader::list(std::string_view name) {
  return attribute<std::vector<int64_t>>(name);
}

} // namespace tandem
