#pragma once

#include "runtime/RunnableProgram.h"

namespace tandem {

/// A program and the rows that one run of it takes.
struct Bucket {
  const Program *program = nullptr;
  std::unique_ptr<RunnableProgram> runnable; // null in a mere plan

  /// dynamicDim: any number.
  int64_t rows() const { return program->rows; }
  /// Rows of a run that is to hold `numRows`.
  int64_t rowsFor(int64_t numRows) const {
    return rows() == dynamicDim ? numRows : rows();
  }
};

/// The programs of one kind, by their number of rows.
using Buckets = std::vector<Bucket>; // fewest rows first, dynamicDim before all

/// Every run reads all weights once, which takes the time of the arithmetic of
/// some 32 rows.
inline constexpr int64_t rowsOfOneReading = 32;
/// Of a run of so many rows, filled or not: in the time of a row's arithmetic.
constexpr int64_t costOfRun(int64_t numRows) {
  return numRows + rowsOfOneReading;
}

/// The smallest bucket that holds `numRows`, or null.
const Bucket *bucketHolding(const Buckets &buckets, int64_t numRows);

/// Where to run the first of `numRows` rows, at least one; what the bucket
/// cannot hold is left for the next run. Either the largest bucket that is
/// filled, or, where that costs less, the smallest that holds them all with
/// some of its rows empty.
const Bucket &nextBucket(const Buckets &buckets, int64_t numRows);

/// Rows of the whole buckets that `numRows` rows are cut into.
int64_t paddedRows(const Buckets &buckets, int64_t numRows);

} // namespace tandem
