#include "frontend/TokenizerFiles.h"

#include "frontend/JsonFields.h"
#include "support/MappedFile.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace tandem {

static constexpr std::string_view endOfText = "<|endoftext|>";

bool hasTokenizer(const std::filesystem::path &folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / "vocab.json", ignored) ||
         std::filesystem::exists(folder / "merges.txt", ignored);
}

static Result<std::vector<std::string>>
readVocabulary(const std::filesystem::path &path) {
  auto json = readJsonObject(path);
  if (!json)
    return std::unexpected(json.error());
  auto numTokens = static_cast<int64_t>(json->size());
  if (numTokens == 0)
    return failure("{}: got no tokens, expected some", path.string());
  std::vector<const std::string *> byId(json->size(), nullptr);
  for (auto entry = json->begin(); entry != json->end(); ++entry) {
    const Json &id = entry.value();
    if (!id.is_number_unsigned() ||
        id.get<uint64_t>() >= static_cast<uint64_t>(numTokens))
      return failure("{}: token {}: got {}, expected an id from 0 to {} since "
                     "there are {} tokens",
                     path.string(), shown(entry.key()), shown(id),
                     numTokens - 1, numTokens);
    const std::string *&slot = byId[id.get<uint64_t>()];
    if (slot)
      return failure("{}: token {}: got id {}, which {} has, expected another",
                     path.string(), shown(entry.key()), shown(id),
                     shown(*slot));
    slot = &entry.key();
  }
  std::vector<std::string> vocabulary;
  vocabulary.reserve(byId.size());
  for (const std::string *token : byId)
    vocabulary.push_back(*token);
  return vocabulary;
}

namespace {

/// Takes merges.txt a line at a time.
struct MergeReader {
  std::string path;
  std::unordered_set<std::string_view> vocabulary;
  std::set<std::string_view> seen;
  std::vector<std::pair<std::string, std::string>> merges;

  Result<void> add(std::string_view line, int64_t lineNumber) {
    size_t space = line.find(' ');
    if (space == 0 || space == std::string_view::npos ||
        space + 1 == line.size() ||
        line.find(' ', space + 1) != std::string_view::npos)
      return failure("{}: line {}: got {}, expected two tokens with a space "
                     "between them",
                     path, lineNumber, shown(std::string(line)));
    std::string left(line.substr(0, space)), right(line.substr(space + 1));
    for (const std::string &token : {left, right, left + right})
      if (!vocabulary.contains(token))
        return failure("{}: line {}: got token {}, expected one that is in the "
                       "vocabulary",
                       path, lineNumber, shown(token));
    if (!seen.insert(line).second)
      return failure("{}: line {}: got {} again, expected each merge once",
                     path, lineNumber, shown(std::string(line)));
    merges.emplace_back(std::move(left), std::move(right));
    return {};
  }
};

} // namespace

static Result<std::vector<std::pair<std::string, std::string>>>
readMerges(const std::filesystem::path &path,
           const std::vector<std::string> &vocabulary) {
  auto file = MappedFile::open(path);
  if (!file)
    return std::unexpected(file.error());
  auto bytes = (*file)->bytes();
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  MergeReader reader{
      path.string(), {vocabulary.begin(), vocabulary.end()}, {}, {}};
  for (int64_t lineNumber = 1; !text.empty(); ++lineNumber) {
    size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    bool isVersion = lineNumber == 1 && line.starts_with("#version");
    if (line.empty() || isVersion)
      continue;
    if (auto added = reader.add(line, lineNumber); !added)
      return std::unexpected(added.error());
  }
  return std::move(reader.merges);
}

/// added_tokens.json: tokens beyond the vocabulary, or that repeat it.
static Result<void> readAddedTokens(const std::filesystem::path &path,
                                    TokenizerData &data) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return {};
  auto json = readJsonObject(path);
  if (!json)
    return std::unexpected(json.error());
  std::map<uint64_t, std::string> taken;
  for (const auto &[token, id] : json->items()) {
    if (token.empty() || !id.is_number_unsigned() ||
        id.get<uint64_t>() > INT32_MAX)
      return failure("{}: token {}: got {}, expected text with an id from 0 to "
                     "{}",
                     path.string(), shown(token), shown(id), INT32_MAX);
    auto number = id.get<uint64_t>();
    std::string other = number < data.vocabulary.size()
                            ? data.vocabulary[number]
                            : taken.try_emplace(number, token).first->second;
    if (other != token)
      return failure("{}: token {}: got id {}, which {} has, expected another",
                     path.string(), shown(token), number, shown(other));
    data.specialTokens.emplace_back(token, static_cast<int32_t>(number));
  }
  return {};
}

static void addEndOfText(TokenizerData &data) {
  for (const auto &[token, id] : data.specialTokens)
    if (token == endOfText)
      return;
  for (size_t id = 0; id < data.vocabulary.size(); ++id)
    if (data.vocabulary[id] == endOfText)
      data.specialTokens.emplace_back(endOfText, static_cast<int32_t>(id));
}

Result<TokenizerData> readTokenizer(const std::filesystem::path &folder) {
  auto vocabulary = readVocabulary(folder / "vocab.json");
  if (!vocabulary)
    return std::unexpected(vocabulary.error());
  auto merges = readMerges(folder / "merges.txt", *vocabulary);
  if (!merges)
    return std::unexpected(merges.error());
  TokenizerData data{std::move(*vocabulary), std::move(*merges), {}};
  if (auto added = readAddedTokens(folder / "added_tokens.json", data); !added)
    return std::unexpected(added.error());
  addEndOfText(data);
  return data;
}

} // namespace tandem
