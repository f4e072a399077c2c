#include "passes/proof/ValueTrace.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tandem {

void ValueTrace::set(llvm::StringRef op, int64_t position,
                     std::vector<double> row) {
  values[op.str()][position] = std::move(row);
}

const ValueTrace::Rows *ValueTrace::find(const std::string &op) const {
  auto found = values.find(op);
  return found == values.end() ? nullptr : &found->second;
}

std::optional<RowLayout> rowLayout(std::span<const int64_t> shape,
                                   const TracedOp &op, int64_t numRows) {
  auto rank = static_cast<int64_t>(shape.size());
  if (rank != 2 && rank != op.rank)
    return std::nullopt;
  int64_t rowDim = rank == op.rank ? op.rowDim : 0;
  if (shape[rowDim] != numRows)
    return std::nullopt;
  RowLayout layout = {.rows = numRows};
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != rowDim)
      (dim < rowDim ? layout.outer : layout.inner) *= shape[dim];
  return layout;
}

namespace {

/// Finds the worst of all elements of one op.
class WorstElement {
public:
  WorstElement(const std::string &op, size_t place) {
    result.op = op;
    result.place = place;
  }

  void see(int64_t position, const std::vector<double> &got,
           const std::vector<double> &expected) {
    for (size_t i = 0; i < got.size(); ++i) {
      double error = std::abs(got[i] - expected[i]);
      if (std::isnan(error))
        error = std::numeric_limits<double>::infinity();
      magnitude = std::max(magnitude, std::abs(expected[i]));
      if (count++ == 0 || error > result.error) {
        result.position = position;
        result.element = static_cast<int64_t>(i);
        result.got = got[i];
        result.expected = expected[i];
        result.error = error;
      }
    }
  }

  std::optional<Deviation> finish(const TracedOp &op,
                                  const Arithmetic &arithmetic) {
    if (count == 0)
      return std::nullopt;
    result.budget =
        errorBudget(op.roundings, op.narrowings, magnitude, count, arithmetic);
    return result;
  }

private:
  Deviation result;
  double magnitude = 0;
  int64_t count = 0;
};

} // namespace

std::vector<Deviation> compare(const TracedGraph &graph, const ValueTrace &got,
                               const ValueTrace &expected,
                               const Arithmetic &arithmetic) {
  std::vector<Deviation> deviations;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const TracedOp &op = graph.ops[i];
    const ValueTrace::Rows *left = got.find(op.name),
                           *right = expected.find(op.name);
    if (!left || !right)
      continue;
    WorstElement worst(op.name, i);
    for (const auto &[position, row] : *left)
      if (auto other = right->find(position);
          other != right->end() && other->second.size() == row.size())
        worst.see(position, row, other->second);
    if (auto deviation = worst.finish(op, arithmetic))
      deviations.push_back(*deviation);
  }
  return deviations;
}

const Deviation *worst(std::span<const Deviation> deviations) {
  auto over = std::ranges::find_if(deviations, &Deviation::isOver);
  if (over != deviations.end())
    return &*over;
  auto share = [](const Deviation &deviation) {
    return deviation.error == 0 ? 0 : deviation.error / deviation.budget;
  };
  auto largest = std::ranges::max_element(deviations, {}, share);
  return largest == deviations.end() ? nullptr : &*largest;
}

std::string describe(const Deviation &deviation) {
  return fmt::format("position {}, element {}: got {}, expected {}: an error "
                     "of {:.2e}, budget {:.2e}",
                     deviation.position, deviation.element, deviation.got,
                     deviation.expected, deviation.error, deviation.budget);
}

} // namespace tandem
