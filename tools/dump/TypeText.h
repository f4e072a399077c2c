#pragma once

#include "mlir/IR/Types.h"

#include <string>

namespace tandem {

/// A type as MLIR writes it, without aliases.
std::string typeText(mlir::Type type);

/// What there is of elements: "1x192xf32"; of the cache, "kv_cache".
std::string shapeText(mlir::Type type);

} // namespace tandem
