#include "TokenizerFiles.h"

#include <fstream>
#include <stdexcept>

namespace tandem::test {

nlohmann::json readJson(const std::filesystem::path &file) {
  std::ifstream stream(file);
  return nlohmann::json::parse(stream);
}

TokenizerData readTokenizerData(const std::filesystem::path &folder) {
  TokenizerData data;
  nlohmann::json vocabulary = readJson(folder / "vocab.json");
  data.vocabulary.resize(vocabulary.size());
  for (const auto &[token, id] : vocabulary.items())
    data.vocabulary.at(id.get<size_t>()) = token;

  std::ifstream merges(folder / "merges.txt");
  std::string line;
  std::getline(merges, line); // the version
  while (std::getline(merges, line))
    if (size_t space = line.find(' '); space != std::string::npos)
      data.merges.emplace_back(line.substr(0, space), line.substr(space + 1));

  const std::string endOfText = "<|endoftext|>";
  data.specialTokens.emplace_back(endOfText, vocabulary.at(endOfText));
  return data;
}

const Tokenizer &shakespeare() {
  static const Result<Tokenizer> tokenizer = Tokenizer::create(
      readTokenizerData(std::filesystem::path(TANDEM_MODELS) / "shakespeare"));
  if (!tokenizer)
    throw std::runtime_error(tokenizer.error().message);
  return *tokenizer;
}

nlohmann::json readVectors(const std::string &name) {
  return readJson(std::filesystem::path(TANDEM_TEST_DATA) / "tokenizer" / name);
}

std::string fromHex(const std::string &digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

} // namespace tandem::test
