#include "backend/ProgramCheck.h"

#include "backend/Signature.h"
#include "backend/SizeCheck.h"

#include <fmt/ranges.h>
#include <set>

namespace tandem {

namespace {

bool matches(const PortType &expected, const Value &value) {
  return value.type == expected.type && value.shape == expected.shape &&
         (value.rowStride == 0 || value.rowStride == value.shape.back());
}

class ProgramCheck {
public:
  ProgramCheck(const Executable &executable, const Program &program,
               std::string where)
      : executable(executable), program(program), where(std::move(where)) {}

  Result<void> run() {
    if (program.planned || program.rows != dynamicDim)
      if (auto ok = expectWithin(where + ".rows", program.rows, 1, INT32_MAX);
          !ok)
        return ok;
    if (auto ok = expectWithin(where + ".transient_bytes",
                               program.transientBytes, 0, maxElements);
        !ok)
      return ok;
    if (auto ok = checkSteps(); !ok)
      return ok;
    if (auto ok = checkPorts("inputs", program.inputs); !ok)
      return ok;
    if (auto ok = checkPorts("outputs", program.outputs); !ok)
      return ok;
    for (size_t i = 0; i < program.values.size(); ++i)
      if (auto ok = checkValue(static_cast<int32_t>(i)); !ok)
        return ok;
    return program.planned ? Result<void>() : checkOrder();
  }

private:
  Result<void> expectIndex(std::string_view place, int32_t index) const {
    if (index < 0 || static_cast<size_t>(index) >= program.values.size())
      return failure("{}: got value {}, expected one of the {} there are",
                     place, index, program.values.size());
    return {};
  }

  Result<void> checkSteps() {
    for (size_t i = 0; i < program.steps.size(); ++i)
      if (auto ok = checkStep(program.steps[i],
                              fmt::format("{}.steps[{}]", where, i));
          !ok)
        return ok;
    return {};
  }

  Result<void> checkStep(const Step &step, const std::string &place) {
    if (step.inputs.empty() || step.outputs.empty())
      return failure("{}: got {} inputs and {} outputs, expected 1 or more of "
                     "each",
                     place, step.inputs.size(), step.outputs.size());
    for (int32_t input : step.inputs)
      if (auto ok = expectIndex(place + ".inputs", input); !ok)
        return ok;
    for (int32_t output : step.outputs) {
      if (auto ok = expectIndex(place + ".outputs", output); !ok)
        return ok;
      if (program.values[output].segment == Segment::Constant)
        return failure("{}.outputs: got value {}, which is constant, expected "
                       "one that may be written",
                       place, output);
    }
    if (step.scratch == -1)
      return {};
    if (auto ok = expectIndex(place + ".scratch", step.scratch); !ok)
      return ok;
    if (program.values[step.scratch].segment != Segment::Transient)
      return failure("{}.scratch: got value {}, expected a transient one",
                     place, step.scratch);
    scratch.insert(step.scratch);
    return {};
  }

  Result<void> checkPorts(std::string_view side,
                          const std::map<std::string, int32_t> &ports) {
    for (const auto &[name, index] : ports) {
      std::optional<Port> port = parsePort(name);
      if (!port)
        return failure("{}.{}: got a name that the signature does not have",
                       where, side);
      std::string place = fmt::format("{}.{}.{}", where, side, name);
      if (auto ok = expectIndex(place, index); !ok)
        return ok;
      const Value &value = program.values[index];
      bool isComputed = side == "outputs" && !program.planned &&
                        value.segment == Segment::Transient;
      if (value.segment != Segment::External && !isComputed)
        return failure("{}: got value {}, expected an external one", place,
                       index);
      PortType expected = portType(*port, program, executable);
      if (!matches(expected, value))
        return failure("{}: got {} [{}], expected {} [{}], densely", place,
                       tandem::name(value.type), fmt::join(value.shape, ", "),
                       tandem::name(expected.type),
                       fmt::join(expected.shape, ", "));
      bound.insert(index);
    }
    return {};
  }

  Result<void> checkValue(int32_t index) const {
    const Value &value = program.values[index];
    std::string place = fmt::format("{}.values[{}]", where, index);
    switch (value.segment) {
    case Segment::Persistent:
      return checkCache(value, place);
    case Segment::External:
      if (!bound.contains(index))
        return failure("{}: got an external value that is neither input nor "
                       "output",
                       place);
      break;
    case Segment::Constant:
    case Segment::Transient:
      break;
    }
    if (value.segment == Segment::Constant && value.layout != Layout::Plain)
      return checkPanels(value, place);
    int64_t unit = scratch.contains(index) ? 1 : sizeInBytes(value.type);
    bool mayBeOpen = !program.planned && value.segment != Segment::Constant;
    auto size = plainSizeInBytes(place, value, unit, mayBeOpen);
    if (!size)
      return std::unexpected(size.error());
    if (value.segment == Segment::Constant)
      return expectInSegment(place, value.offset, *size,
                             executable.constantBytes);
    if (value.segment == Segment::Transient && program.planned)
      return expectInSegment(place, value.offset, *size,
                             program.transientBytes);
    return {};
  }

  Result<void> checkCache(const Value &value, const std::string &place) const {
    const KvCacheLayout &cache = executable.kvCache;
    std::vector<int64_t> shape = {dynamicDim,  cache.layers,    2,
                                  cache.heads, cache.blockSize, cache.headSize};
    if (cache.layers == 0 || value.shape != shape || value.type != cache.type ||
        value.offset != 0 || value.layout != Layout::Plain)
      return failure("{}: got {} [{}] at {}, expected the whole cache, {} [{}]",
                     place, tandem::name(value.type),
                     fmt::join(value.shape, ", "), value.offset,
                     tandem::name(cache.type), fmt::join(shape, ", "));
    return {};
  }

  Result<void> checkPanels(const Value &value, const std::string &place) const {
    auto size =
        constantSizeInBytes(place, value.shape, value.type, value.layout);
    if (!size)
      return std::unexpected(size.error());
    if (auto ok = expectInSegment(place, value.offset, *size,
                                  executable.constantBytes);
        !ok)
      return ok;
    if (value.offset % bufferAlignment != 0)
      return failure("{}.offset: got {}, expected a multiple of {}", place,
                     value.offset, bufferAlignment);
    return {};
  }

  /// Without a plan, memory exists from the step that computes a value.
  Result<void> checkOrder() const {
    std::set<int32_t> computed;
    auto isThere = [&](int32_t index) {
      return program.values[index].segment != Segment::Transient ||
             computed.contains(index);
    };
    for (size_t i = 0; i < program.steps.size(); ++i) {
      for (int32_t input : program.steps[i].inputs)
        if (!isThere(input))
          return failure("{}.steps[{}].inputs: got value {}, expected one that "
                         "an earlier step computes",
                         where, i, input);
      computed.insert(program.steps[i].outputs.begin(),
                      program.steps[i].outputs.end());
    }
    for (const auto &[name, index] : program.outputs)
      if (!isThere(index))
        return failure("{}.outputs.{}: got value {}, expected one that a step "
                       "computes",
                       where, name, index);
    return {};
  }

  const Executable &executable;
  const Program &program;
  std::string where;
  std::set<int32_t> bound, scratch; // values
};

} // namespace

Result<void> checkProgram(const Executable &executable, const Program &program,
                          std::string where) {
  return ProgramCheck(executable, program, std::move(where)).run();
}

} // namespace tandem
