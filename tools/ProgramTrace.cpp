#include "tools/ProgramTrace.h"

#include "runtime/ValueSize.h"

#include <algorithm>

namespace tandem {

namespace {

const int32_t *numbersAt(const StepRun &run, Port port) {
  return static_cast<const int32_t *>(run.ports[static_cast<size_t>(port)]);
}

/// The position of each row that counts: no padding.
std::vector<int64_t> positionsOf(const StepRun &run) {
  const Value *value = find(run.program, Port::Positions);
  if (!value)
    return {};
  int64_t rows = withSize(*value, run.dynamicSize).shape[0];
  bool hasValid = find(run.program, Port::Valid) != nullptr;
  if (hasValid)
    rows = std::min<int64_t>(rows, numbersAt(run, Port::Valid)[0]);
  const int32_t *given = numbersAt(run, Port::Positions);
  std::vector<int64_t> positions;
  for (int64_t row = 0; row < rows; ++row) {
    if (!hasValid && given[row] != row) // of a forward program, past the text
      break;
    positions.push_back(given[row]);
  }
  return positions;
}

std::vector<double> rowAt(const float *data, const Value &value,
                          const RowLayout &layout, int64_t row) {
  std::vector<double> elements;
  elements.reserve(layout.outer * layout.inner);
  for (int64_t i = 0; i < layout.outer; ++i) {
    int64_t begin = value.shape.size() == 2
                        ? row * value.rowStride
                        : (i * layout.rows + row) * layout.inner;
    elements.insert(elements.end(), data + begin, data + begin + layout.inner);
  }
  return elements;
}

} // namespace

ProgramTrace::ProgramTrace(Session &session, const TracedGraph &graph,
                           const std::set<int64_t> &positions)
    : session(session), positions(positions) {
  for (const TracedOp &op : graph.ops)
    ops[op.name] = &op;
  session.observe([this](const StepRun &run) { note(run); });
}

void ProgramTrace::note(const StepRun &run) {
  auto found = ops.find(run.step.where);
  if (found == ops.end() || run.outputs.empty())
    return;
  // Where an op makes two values, the last one has its name.
  Value value =
      withSize(run.program.values[run.step.outputs.back()], run.dynamicSize);
  if (value.type != ElementType::F32 || value.segment == Segment::Persistent)
    return;
  std::vector<int64_t> rows = positionsOf(run);
  const Value *numbered = find(run.program, Port::Positions);
  if (!numbered)
    return;
  auto layout = rowLayout(value.shape, *found->second,
                          withSize(*numbered, run.dynamicSize).shape[0]);
  if (!layout)
    return;
  const auto *data = static_cast<const float *>(run.outputs.back());
  for (int64_t row = 0; row < std::ssize(rows); ++row)
    if (positions.contains(rows[row]))
      trace.set(found->first, rows[row], rowAt(data, value, *layout, row));
}

} // namespace tandem
