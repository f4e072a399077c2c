#include "runtime/Bucket.h"

#include <algorithm>

namespace tandem {

namespace {

int64_t costOf(const Bucket &bucket) { return costOfRun(bucket.rows()); }

/// The largest bucket that `numRows` fill, or null.
const Bucket *filled(const Buckets &buckets, int64_t numRows) {
  const Bucket *found = nullptr;
  for (const Bucket &bucket : buckets)
    if (bucket.rows() <= numRows)
      found = &bucket;
  return found;
}

/// Of filling buckets one after another, the last with some rows empty.
int64_t costOfFilling(const Buckets &buckets, int64_t numRows) {
  int64_t cost = 0;
  while (const Bucket *bucket = filled(buckets, numRows)) {
    int64_t runs = numRows / bucket->rows();
    cost += runs * costOf(*bucket);
    numRows -= runs * bucket->rows();
    if (numRows == 0)
      return cost;
  }
  return cost + costOf(*bucketHolding(buckets, numRows));
}

} // namespace

const Bucket *bucketHolding(const Buckets &buckets, int64_t numRows) {
  auto found = std::ranges::find_if(buckets, [=](const Bucket &bucket) {
    return bucket.rowsFor(numRows) >= numRows;
  });
  return found == buckets.end() ? nullptr : &*found;
}

const Bucket &nextBucket(const Buckets &buckets, int64_t numRows) {
  if (buckets.front().rows() == dynamicDim)
    return buckets.front();
  const Bucket *all = bucketHolding(buckets, numRows);
  const Bucket *some = filled(buckets, numRows);
  if (!some)
    return *all;
  if (!all)
    return *some;
  return costOf(*all) <= costOfFilling(buckets, numRows) ? *all : *some;
}

int64_t paddedRows(const Buckets &buckets, int64_t numRows) {
  int64_t rows = 0;
  while (numRows > 0) {
    const Bucket &bucket = nextBucket(buckets, numRows);
    rows += bucket.rowsFor(numRows);
    numRows -= bucket.rowsFor(numRows);
  }
  return rows;
}

} // namespace tandem
