#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tandem {

/// The layer that an op comes from: `h.3.attn.c_proj` is `attn.c_proj` of layer
/// 3 of `h`.
struct LayerName {
  llvm::StringRef stack; // h
  int64_t index = 0;     // 3
  llvm::StringRef part;  // attn.c_proj; may be empty
};

/// Takes apart the name of a location at its first component that is a number.
/// Absent where there is none, or nothing before it.
std::optional<LayerName> layerOf(llvm::StringRef origin);

} // namespace tandem
