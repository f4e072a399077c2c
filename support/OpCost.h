#pragma once

#include "support/Activation.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tandem {

/// A dense array that an op reads or writes, every dimension known.
struct ArrayShape {
  std::vector<int64_t> dims;
  int64_t elementBits = 32;
};

/// How much an op reads of the KV cache at most: the keys and values of as many
/// `positions` of each of as many `sequences`.
struct CacheReach {
  int64_t sequences = 0, positions = 0;
  int64_t elementBits = 32;
};

/// An op, as far as its cost depends on it. Scratch and the cache are no inputs
/// here; an op that writes the cache has no output.
struct OpShape {
  std::string_view op; // the mnemonic, which is the kernel's name too
  std::vector<ArrayShape> inputs, outputs;
  std::optional<Activation> activation;
  int64_t heads = 0; // of an attention
  CacheReach cache;
};

/// What an op costs at least, whatever runs it: each byte that it needs read
/// once, each byte that it makes written once, and the operations of its
/// definition, where every sum, product, quotient, comparison, exponential,
/// tanh and erf is one.
struct OpCost {
  std::vector<int64_t> inputBytes, outputBytes; // one an input or output
  int64_t cacheBytesRead = 0, cacheBytesWritten = 0;
  int64_t productFlop = 0; // of matrix products: two a multiply-add
  int64_t elementFlop = 0; // of everything else

  int64_t flop() const { return productFlop + elementFlop; }
};

/// Whether the op reads only as much of that input as it puts out: rows of a
/// table, a slice.
bool readsPart(std::string_view op, size_t input);

/// The one table of costs. Absent for an op that it does not know.
std::optional<OpCost> opCost(const OpShape &op);

} // namespace tandem
