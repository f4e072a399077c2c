#pragma once

#include "ir/Tandem.h"

#include <string>

namespace tandem {

/// The module as MLIR prints it, with comments that parsers skip:
///   - above each function what all of it moves, computes and, once planned,
///     has for an arena;
///   - below each op that does work what that one does;
///   - after each parameter its bytes.
std::string annotatedText(mlir::ModuleOp module);

/// The module as MLIR prints it.
std::string plainText(mlir::ModuleOp module);

} // namespace tandem
