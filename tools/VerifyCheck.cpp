#include "tools/VerifyCheck.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tandem {

VerifyCheck Comparison::logits(const std::string &name,
                               std::span<const float> got,
                               std::span<const float> expected) const {
  VerifyCheck check = {.name = name, .where = {}, .ops = {}};
  double largest = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    double right = expected[i], error = std::abs(got[i] - right);
    largest = std::max(largest, std::abs(right));
    if (i == 0 || error > check.maxError || std::isnan(error)) {
      check.maxError = std::isnan(error) ? INFINITY : error;
      check.where = fmt::format("row {}, logit {}", i / graph.vocabSize,
                                i % graph.vocabSize);
    }
  }
  const TracedOp *head = graph.find(graph.logits);
  check.budget =
      errorBudget(head ? head->roundings : 0, head ? head->narrowings : 0,
                  largest, std::ssize(got), arithmetic);
  return check;
}

VerifyCheck Comparison::ops(const std::string &name, const ValueTrace &got,
                            const ValueTrace &expected) const {
  VerifyCheck check = {.name = name + ", by op",
                       .where = {},
                       .ops = compare(graph, got, expected, arithmetic)};
  if (const Deviation *found = worst(check.ops)) {
    check.maxError = found->error;
    check.budget = found->budget;
    check.where = fmt::format("{} at position {}", found->op, found->position);
  }
  return check;
}

std::string firstOverBudget(std::span<const VerifyCheck> checks) {
  const VerifyCheck *first = nullptr;
  size_t firstOp = 0;
  for (const VerifyCheck &check : checks) {
    if (check.ok())
      continue;
    auto over = std::ranges::find_if(check.ops, &Deviation::isOver);
    size_t op = over == check.ops.end() ? SIZE_MAX : over->place;
    if (!first || op < firstOp) {
      first = &check;
      firstOp = op;
    }
  }
  if (!first)
    return "";
  return fmt::format("{}: {}: got an error of {:.2e}, expected at most {:.2e}",
                     first->where, first->name, first->maxError, first->budget);
}

} // namespace tandem
