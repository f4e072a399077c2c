#pragma once

#include "support/Result.h"
#include "support/TokenizerData.h"

#include <cstddef>
#include <span>
#include <vector>

/// A tokenizer as an artifact's section holds it: quick to read, since a text's
/// first token waits for it. Little-endian 32-bit numbers:
///
///   number of tokens, of merges, of special tokens
///   bytes of each token, then of each special token's text
///   id of each special token
///   each merge as the ids of its halves
///   the tokens' bytes, then the special tokens'
namespace tandem {

/// Fails for a merge of what is no token.
Result<std::vector<std::byte>> tokenizerSection(const TokenizerData &data);

/// The way back. Fails where numbers and bytes do not fit together.
Result<TokenizerData> parseTokenizerSection(std::span<const std::byte> section);

} // namespace tandem
