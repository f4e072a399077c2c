#pragma once

#include <cstddef>

namespace tandem::test {

/// How often this binary has called `operator new` so far.
size_t numAllocations();

} // namespace tandem::test
