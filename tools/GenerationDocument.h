#pragma once

#include "runtime/TextStream.h"
#include "tools/Command.h"

namespace tandem {

/// Tokens that end a text: the model's, or none where they are to be ignored.
std::vector<int64_t> stopTokens(const Model &model, bool ignoreEos);

/// The text of a token after those before it; U+FFFD for an id that the
/// tokenizer, smaller than the model, does not know.
std::string textAfter(TextStream &stream, int32_t token);

/// The new tokens' text; a token that ends the text is not part of it.
std::string textOf(const Tokenizer &tokenizer, const Generation &generation);

/// What `run --json` says of one prompt.
Json generationDocument(const Model &model, const Session &session,
                        std::span<const int32_t> prompt,
                        const Generation &generation);

} // namespace tandem
