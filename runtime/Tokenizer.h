#pragma once

#include "runtime/BytePairEncoder.h"
#include "runtime/WordSplitter.h"
#include "support/Result.h"
#include "support/TokenizerData.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tandem {

/// GPT-2's byte-level byte pair encoding. Exact for text, and lossless for any
/// bytes: `decode(encode(x)) == x`, where each byte that is not part of a whole
/// UTF-8 character is taken as a symbol. Letters and numbers are those of
/// Unicode 16.
///
/// Immutable: one tokenizer serves any number of threads.
class Tokenizer {
public:
  /// Refuses a token that is there twice, a merge outside the vocabulary, and a
  /// special token that is empty, has two ids, a negative id, or an id that
  /// another token has.
  static Result<Tokenizer> create(const TokenizerData &data);

  /// The ids of `bytes`. With `parseSpecial` a special token's text becomes its
  /// id, the longest where several start at one place, and what stands on
  /// either side is encoded by itself; without, that text is as any other.
  /// Fails where a byte occurs that has no token in the vocabulary.
  Result<std::vector<int32_t>> encode(std::string_view bytes,
                                      bool parseSpecial = true) const;

  /// The bytes of `ids`, special tokens as their text: not always UTF-8, see
  /// TextStream. Fails on an id that is neither in the vocabulary nor special.
  Result<std::string> decode(std::span<const int32_t> ids) const;

  /// The bytes of one token, owned by the tokenizer. Fails as `decode` does.
  Result<std::string_view> bytesOf(int32_t id) const;

  /// Tokens in the vocabulary; special tokens may have ids beyond it.
  size_t vocabularySize() const { return bytesOfId.size(); }

private:
  struct SpecialToken {
    std::string text;
    int32_t id;
  };

  Tokenizer(BytePairEncoder pairs, WordSplitter words)
      : pairs(std::move(pairs)), words(std::move(words)) {}

  Result<void> addSpecial(const std::string &text, int32_t id);
  Result<void> encodeOrdinary(std::string_view bytes,
                              std::vector<int32_t> &ids) const;

  BytePairEncoder pairs;
  WordSplitter words;
  std::vector<std::string> bytesOfId;
  std::vector<SpecialToken> specialTokens; // longest text first
  std::unordered_map<int32_t, std::string> beyondVocabulary;
};

} // namespace tandem
