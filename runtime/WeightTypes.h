#pragma once

#include "backend/Executable.h"
#include "support/Precision.h"

#include <map>

namespace tandem {

/// Bytes of the constants by the type that they are kept in.
std::map<ElementType, int64_t> weightBytes(const Executable &executable);

/// The precision that programs were compiled in: of their narrowest weight.
Precision precisionOf(const Executable &executable);

} // namespace tandem
