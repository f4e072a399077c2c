#pragma once

#include "backend/Executable.h"

#include <map>

namespace tandem {

/// What work costs at least, whatever runs it.
struct Cost {
  double bytes = 0; // weights as stored, each once a run, and cache read
  /// Two for a multiply-add, by the type of the elements multiplied.
  std::map<ElementType, double> flop;

  double totalFlop() const;
};

/// One token appended to a sequence of `cached` tokens: the decode program's
/// weights but for the embedding's unread rows, and the keys and values so far.
/// 0 without a decode program.
Cost decodeCost(const Executable &executable, int64_t cached);

/// A prompt of `numTokens`, its padding not counted: products of every token
/// with the weights but the head's, attention, and the head on one row. Bytes
/// are not counted: they do not limit it. 0 without the programs for it.
Cost prefillCost(const Executable &executable, int64_t numTokens);

} // namespace tandem
