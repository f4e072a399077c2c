#pragma once

#include "runtime/Tokenizer.h"

namespace tandem {

/// Turns tokens into text as they come. A character may be spread over several
/// tokens; its bytes are held back until it is whole. All that `push` and
/// `flush` return, put together, is what `decodeText` gives for all the ids.
class TextStream {
public:
  /// The tokenizer must outlive the stream.
  explicit TextStream(const Tokenizer &tokenizer) : tokenizer(&tokenizer) {}

  /// The text that is whole now, well-formed UTF-8, often empty; fails, and
  /// changes nothing, on an id the tokenizer does not know.
  Result<std::string> push(int32_t id);

  /// What was held back, as U+FFFD: at most one. The stream is then as new.
  std::string flush();

private:
  const Tokenizer *tokenizer;
  std::string pending; // the start of a character, at most three bytes
};

/// The text of `ids`, with U+FFFD where the bytes are not UTF-8: exactly as
/// many as Python's `bytes.decode('utf-8', errors='replace')` puts there.
Result<std::string> decodeText(const Tokenizer &tokenizer,
                               std::span<const int32_t> ids);

} // namespace tandem
