#pragma once

#include "support/Result.h"
#include "support/TokenizerData.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tandem {

/// Byte pair encoding of one word: starts from its bytes and joins, again and
/// again, the adjacent pair of best rank, the leftmost of equals.
///
/// Immutable; what a call works in is the caller's Scratch.
class BytePairEncoder {
public:
  /// Buffers that keep their memory from one word to the next.
  class Scratch;

  /// Refuses a token that is there twice and a merge whose halves or result are
  /// not in the vocabulary. A byte without a token is no error until it occurs.
  static Result<BytePairEncoder> create(const TokenizerData &data);

  /// Appends the ids of `word`, any bytes, to `ids`. O(n log n) in its size.
  /// Fails on a byte that has no token.
  Result<void> encode(std::string_view word, Scratch &scratch,
                      std::vector<int32_t> &ids) const;

private:
  struct Merge {
    uint32_t rank;
    int32_t result;
  };

  BytePairEncoder() = default;
  const Merge *findMerge(int32_t left, int32_t right) const;
  Result<void> start(std::string_view word, Scratch &scratch) const;
  void consider(size_t left, Scratch &scratch) const;

  std::array<std::optional<int32_t>, 256> idOfByte;
  std::unordered_map<uint64_t, Merge> merges; // by both ids of the pair
};

class BytePairEncoder::Scratch {
  friend class BytePairEncoder;

  /// A token so far; dead once its left neighbour has swallowed it. Neighbours
  /// are indices, `symbols.size()` past either end.
  struct Symbol {
    int32_t id;
    bool alive;
    size_t previous;
    size_t next;
  };

  /// A pair that could be joined when it was entered; it may have changed
  /// since.
  struct Candidate {
    uint32_t rank;
    size_t left;
    int32_t leftId;
    int32_t rightId;
    int32_t result;
  };

  std::vector<Symbol> symbols;
  std::vector<Candidate> heap; // best rank, then leftmost, on top
};

} // namespace tandem
