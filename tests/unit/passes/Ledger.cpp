#include "Ledger.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tandem {

void Ledger::enter(std::string name) {
  state = std::move(name);
  recorded = 0;
  failedHere = false;
}

void Ledger::fail(const std::string &message) {
  if (!failedHere && !areExpected)
    ADD_FAILURE() << state << ": " << message;
  failedHere = failedAny = true;
}

void Ledger::record(const std::string &name, llvm::ArrayRef<double> row) {
  ++recorded;
  auto [entry, isNew] = rows.try_emplace(name, row.vec());
  const std::vector<double> &expected = entry->second;
  if (row.size() != expected.size())
    return fail(fmt::format("{}: got {} elements, expected {}", name,
                            row.size(), expected.size()));
  double largest = 0, worst = -1;
  size_t worstIndex = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    double error =
        std::isnan(row[i]) ? INFINITY : std::abs(row[i] - expected[i]);
    if (error > worst)
      worst = error, worstIndex = i;
  }
  if (!(worst <= 1e-9 * largest))
    fail(fmt::format("{}: element {}: got {}, expected {}", name, worstIndex,
                     row[worstIndex], expected[worstIndex]));
}

} // namespace tandem
