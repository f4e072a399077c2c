#pragma once

#include "support/TensorView.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tandem {

/// Which operand's buffer an op may write its destination over.
struct InPlaceRule {
  std::string op; // mnemonic
  unsigned destination, operand;
};

/// An operand whose rows may be further apart than they are long.
struct StridedRule {
  std::string op; // mnemonic
  unsigned operand;
};

/// An op that may need scratch, by what its scratch depends on.
struct ScratchQuery {
  llvm::StringRef op; // mnemonic
  int64_t rows = 0;
  int64_t headSize = 0;  // of an attention
  int64_t depth = 0;     // of a linear: the width of what it multiplies
  bool isPacked = false; // a linear: its weight lies in panels
  ElementType weightType = ElementType::F32; // of a linear
};

/// What passes may know of the machine. The backend fills one in for the host;
/// the generic one is fixed, so that IR tests say the same on every CPU.
struct TargetInfo {
  std::vector<InPlaceRule> inPlace = {
      {"linear", 0, 3},        {"add", 0, 0},
      {"mul", 0, 0},           {"scale", 0, 0},
      {"activation", 0, 0},    {"softmax", 0, 0},
      {"causal_mask", 0, 0},   {"add_layer_norm", 0, 0},
      {"add_layer_norm", 0, 1}};

  std::vector<StridedRule> strided = {
      {"linear", 0},    {"cast", 0},
      {"kv_append", 1}, {"kv_append", 2},
      {"attention", 0}, {"attention", 1},
      {"attention", 2}, {"cached_attention", 0}};

  int numThreads = 1; // that scratch is for
  /// Scratch of one op in bytes, all threads together; 0 for none.
  std::function<int64_t(const ScratchQuery &)> scratchBytes =
      [](const ScratchQuery &) { return 0; };
};

} // namespace tandem
