#pragma once

#include "backend/Executable.h"

namespace tandem {

bool isDynamic(const Value &value);

/// `value` with its open dimension closed and its row stride filled in.
Value withSize(Value value, int64_t dynamicSize);

/// Elements from the first to the last, gaps between rows included. Every
/// dimension is known.
int64_t spanInElements(const Value &value);
/// The same in bytes, or what a constant takes in its layout.
int64_t spanInBytes(const Value &value);

/// Scratch is [bytes], whatever its element type.
int64_t scratchSizeInBytes(const Value &scratch);

} // namespace tandem
