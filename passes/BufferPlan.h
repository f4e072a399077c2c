#pragma once

#include "support/Result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tandem {

/// A buffer that wants a place in an arena. It is live from the step that
/// writes it to the last step that reads it, both included.
struct BufferRequest {
  int64_t sizeInBytes = 0; // 0 or more
  int32_t firstUse = 0;
  int32_t lastUse = 0; // firstUse or later

  /// Buffers (as indices of requests) whose place this one may take: its step
  /// works in place. Only those count that were written before this buffer's
  /// first step, die at that step and are at least as large, so a caller may
  /// name every operand the kernel can overwrite.
  std::vector<int32_t> mayReplace = {};
};

/// Where the buffers are. Sizes count as rounded up to the alignment.
struct BufferPlan {
  std::vector<int64_t> offsets; // one a request, in bytes, aligned
  int64_t sizeInBytes = 0;      // the arena's, a multiple of the alignment

  /// The most bytes live at any step, a buffer and the one whose place it
  /// takes counted once. No plan with the same replacements is smaller.
  int64_t lowerBound = 0;
};

/// Packs the buffers into one arena so that no two that are live at the same
/// step overlap. A step reads its inputs while it writes its outputs, so ranges
/// that touch at a step conflict, unless one buffer takes the other's place
/// (it then has the same offset; a place is handed on to one buffer only).
/// The best of several greedy packings; equal requests give equal plans. Time
/// is quadratic in the number of buffers. `alignment` is in bytes, 1 or more.
BufferPlan planBuffers(std::span<const BufferRequest> requests,
                       int64_t alignment);

/// Verifies, pair by pair and without the planner, what planBuffers promises:
/// aligned offsets inside the arena and no two conflicting buffers overlapping.
/// The error names the first offenders.
Result<void> checkPlan(std::span<const BufferRequest> requests,
                       const BufferPlan &plan, int64_t alignment);

} // namespace tandem
