#pragma once

#include "ir/Tandem.h"

namespace tandem {

/// True for the type of an arena or of scratch: a memref of i8.
bool isByteBuffer(mlir::Type type);

/// True if an op has the buffer, or a view of it, as a destination.
bool isWritten(mlir::Value buffer);

} // namespace tandem
