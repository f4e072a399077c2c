#pragma once

#include "backend/Executable.h"
#include "support/Result.h"
#include "support/WeightStore.h"

namespace tandem {

/// Writes every constant of `executable` to its offset from `out`, in its
/// layout, as f32. `out` holds executable.constantBytes zeros. `numThreads`
/// threads share the work; the result does not depend on how many. Fails for a
/// constant that the store lacks or has in another shape.
Result<void> packConstants(const Executable &executable,
                           const WeightStore &store, std::byte *out,
                           int numThreads);

} // namespace tandem
