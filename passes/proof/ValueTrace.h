#pragma once

#include "passes/proof/ErrorBudget.h"
#include "passes/proof/OpNames.h"

#include <map>
#include <optional>
#include <span>

namespace tandem {

/// What a run made: rows of values, by op and by the token's position. A row is
/// all that belongs to one token, heads side by side.
class ValueTrace {
public:
  using Rows = std::map<int64_t, std::vector<double>>; // by position

  /// The last row given for an op and position counts.
  void set(llvm::StringRef op, int64_t position, std::vector<double> row);
  /// Null where nothing was given.
  const Rows *find(const std::string &op) const;

private:
  std::map<std::string, Rows> values;
};

/// Where the rows of a dense value lie: row n is, for each `i < outer`, the
/// `inner` elements from (i * rows + n) * inner on.
struct RowLayout {
  int64_t outer = 1, rows = 0, inner = 1;
};

/// The rows of a value of `op` in a program of `numRows` rows: as in the
/// imported graph, or, where a pass has put heads side by side, [rows, ..].
/// None for another shape.
std::optional<RowLayout> rowLayout(std::span<const int64_t> shape,
                                   const TracedOp &op, int64_t numRows);

/// The worst element of an op.
struct Deviation {
  std::string op;
  size_t place = 0;                  // of the op, in program order
  int64_t position = 0, element = 0; // of the row
  double got = 0, expected = 0;
  double error = 0, budget = 0; // infinite where an element is not a number

  bool isOver() const { return !(error <= budget); }
};

/// One for each op that both have at the same positions, in program order.
std::vector<Deviation> compare(const TracedGraph &graph, const ValueTrace &got,
                               const ValueTrace &expected,
                               const Arithmetic &arithmetic);

/// The first that is over its budget, else the one that takes the largest share
/// of it; null where there is none.
const Deviation *worst(std::span<const Deviation> deviations);

/// "position 3, element 7: got 1, expected 2: an error of 1, budget 1e-07".
std::string describe(const Deviation &deviation);

} // namespace tandem
