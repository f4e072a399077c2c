#pragma once

#include "runtime/Tokenizer.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace tandem::test {

/// What vocab.json and merges.txt in `folder` say; "<|endoftext|>" is special.
TokenizerData readTokenizerData(const std::filesystem::path &folder);

/// The tokenizer of models/shakespeare.
const Tokenizer &shakespeare();

nlohmann::json readJson(const std::filesystem::path &file);

/// tests/data/tokenizer/NAME
nlohmann::json readVectors(const std::string &name);

std::string fromHex(const std::string &digits);

} // namespace tandem::test
