#pragma once

#include "runtime/Bucket.h"

#include <map>

namespace tandem {

/// What the buckets of a plan make of the prompts of one length.
struct PlannedLength {
  int64_t length = 0, count = 0;  // tokens of a prompt; how many there are
  std::vector<int64_t> runs = {}; // rows of the buckets that one is cut into
  int64_t paddedRows = 0;         // of all of them: rows that hold no token
  int64_t cost = 0;               // of all of them
};

/// Rows of prefill programs, and what they cost.
struct BucketPlan {
  std::vector<int64_t> buckets; // fewest rows first
  std::vector<PlannedLength> lengths;
  int64_t cost = 0; // of all prompts and programs
};

/// How many prompts there are of each length.
using PromptLengths = std::map<int64_t, int64_t>;

/// Of a program: from the passes over it to its last kernel. In rows, as all
/// costs are: in the time that the arithmetic of so many prefilled rows takes.
/// (Measured on GPT-2 124M, 2 cores with AVX-512: see
/// docs/decisions/0008-buckets.md.)
inline constexpr int64_t rowsOfOneProgram = 12;

/// What `buckets` (fewest rows first) cost for prompts of these lengths:
///   sum over the prompts, over the runs that Bucket.h cuts one into, of
///     rows + rowsOfOneReading
///   + buckets * rowsOfOneProgram
BucketPlan costOfBuckets(const std::vector<int64_t> &buckets,
                         const PromptLengths &lengths);

/// The buckets that cost least: multiples of 8 rows, or `positions`, and none
/// of more than 512. There is at least one length, and none is above
/// `positions`.
///
/// Dynamic programming, for each candidate as the largest bucket: whole runs of
/// that one are taken off every length; what is left of each goes into the
/// smallest bucket that holds it. With the candidates c[0] < c[1] < ... up to
/// the largest,
///   best[j] = min over i < j of
///     best[i] + rests(c[i] + 1 .. c[j]) * (c[j] + rowsOfOneReading)
///     + rowsOfOneProgram
/// is the least cost of all rests up to c[j] where c[j] is a bucket. Bucket.h
/// cuts a rest further where that costs less, so that a plan costs at most what
/// this says.
BucketPlan planBuckets(const PromptLengths &lengths, int64_t positions);

} // namespace tandem
