#pragma once

#include "backend/Buffer.h"
#include "backend/Executable.h"
#include "support/ByteSink.h"
#include "support/Result.h"
#include "support/WeightStore.h"

namespace tandem {

/// Writes every constant of `executable` to its offset from `out`, in its
/// layout, as f32. `out` holds executable.constantBytes zeros. `numThreads`
/// threads share the work; the result does not depend on how many. Fails for a
/// constant that the store lacks or has in another shape.
///
/// What has been packed is released in the store (WeightStore::release), so
/// that no more than one tensor of it is in memory at a time.
Result<void> packConstants(const Executable &executable,
                           const WeightStore &store, std::byte *out,
                           int numThreads);

/// The same bytes in order, a constant at a time, so that no more than the
/// largest is in memory; `memory` counts it. Fails also for constants that
/// overlap, and as the sink does.
Result<void> streamConstants(const Executable &executable,
                             const WeightStore &store, MemoryTracker &memory,
                             int numThreads, const ByteSink &sink);

} // namespace tandem
