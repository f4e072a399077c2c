#pragma once

#include "support/Result.h"
#include "support/TokenizerData.h"

#include <filesystem>

namespace tandem {

/// Whether a folder has the files of a tokenizer at all; one that `init` made
/// has none.
bool hasTokenizer(const std::filesystem::path &folder);

/// Reads vocab.json (token -> id; the ids are 0 to n - 1, each once) and
/// merges.txt (a pair a line, best first, after an optional `#version` line;
/// both halves and their union are in the vocabulary), and added_tokens.json
/// where there is one. `<|endoftext|>` is special wherever it is known. Errors
/// name file and key or line.
Result<TokenizerData> readTokenizer(const std::filesystem::path &folder);

} // namespace tandem
