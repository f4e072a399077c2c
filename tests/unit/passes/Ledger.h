#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <string>
#include <vector>

namespace tandem {

/// Rows of numbers by what they are, such as "logits of sequence 1 at 30".
/// Whoever records a row first sets what all later ones must be.
class Ledger {
public:
  /// What failures are put down to from here on, such as the last pass.
  void enter(std::string state);

  /// EXPECTs the row as recorded before, up to the rounding of float64 in a
  /// different order of operations: 1e-9 of the row's largest element. Of each
  /// state only the first bad row is reported, with its worst element.
  void record(const std::string &name, llvm::ArrayRef<double> row);

  /// Notes a failure without a row.
  void fail(const std::string &message);

  /// Rows recorded in this state.
  int numRecorded() const { return recorded; }
  bool hasFailed() const { return failedAny; }

  /// Failures only count, instead of failing the test.
  void expectFailures() { areExpected = true; }

private:
  std::map<std::string, std::vector<double>> rows;
  std::string state;
  int recorded = 0;
  bool failedHere = false, failedAny = false, areExpected = false;
};

} // namespace tandem
