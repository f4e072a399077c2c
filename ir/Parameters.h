#pragma once

#include "ir/Tandem.h"
#include "support/Layout.h"

namespace tandem {

/// How a parameter's elements lie, as what knows no MLIR says it.
Layout layoutOf(ParameterOp parameter);

/// Bytes that a parameter takes in its layout.
int64_t packedSizeInBytes(ParameterOp parameter);

} // namespace tandem
