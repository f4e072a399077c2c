#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

/// What a byte-level BPE tokenizer is made of, as its files state it.
struct TokenizerData {
  /// By id; in GPT-2's byte-to-unicode alphabet ("Ġthe"), UTF-8. Every id is
  /// filled and every token is there once.
  std::vector<std::string> vocabulary;
  /// Best first: a pair's index is its rank.
  std::vector<std::pair<std::string, std::string>> merges;
  /// Plain text ("<|endoftext|>") and id: matched whole, before anything is
  /// split. Ids may lie beyond the vocabulary.
  std::vector<std::pair<std::string, int32_t>> specialTokens;
};

} // namespace tandem
