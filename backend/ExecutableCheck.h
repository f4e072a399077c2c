#pragma once

#include "backend/Executable.h"
#include "support/Result.h"

namespace tandem {

/// Whether the parts of `executable` fit one another, so that running it stays
/// within its segments whatever a file said: shapes positive and sizes without
/// overflow; constants within constantBytes, planned transients within
/// transientBytes, the cache in the cache's shape; inputs and outputs under the
/// names, types and shapes of the signature, and no other external value; steps
/// with operands that exist, are given or computed before, and are not written
/// to where they are constant. The error names the place as
/// executableFromJson() does.
///
/// Not checked: what a kernel requires of its operands. It does so itself when
/// it is created.
Result<void> checkExecutable(const Executable &executable);

} // namespace tandem
