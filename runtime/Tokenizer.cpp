#include "runtime/Tokenizer.h"
#include "runtime/ByteAlphabet.h"

#include <algorithm>

namespace tandem {

namespace {

/// Where words were encoded before in one list of ids. Ordinary text repeats
/// few words; what would not be found again is not kept.
class KnownWords {
public:
  /// Appends the ids of `word` if it is known.
  bool append(std::string_view word, std::vector<int32_t> &ids) const {
    auto it = places.find(word);
    if (it == places.end())
      return false;
    auto [begin, count] = it->second;
    for (size_t i = 0; i < count; ++i)
      ids.push_back(ids[begin + i]);
    return true;
  }

  /// `ids` from `begin` on are those of `word`, whose bytes must stay.
  void remember(std::string_view word, size_t begin, size_t end) {
    if (word.size() <= maxWordSizeInBytes && places.size() < maxWords)
      places.emplace(word, Place{begin, end - begin});
  }

private:
  static constexpr size_t maxWordSizeInBytes = 64;
  static constexpr size_t maxWords = 1 << 16;

  struct Place {
    size_t begin;
    size_t count;
  };
  std::unordered_map<std::string_view, Place> places;
};

} // namespace

Result<Tokenizer> Tokenizer::create(const TokenizerData &data) {
  Result<BytePairEncoder> pairs = BytePairEncoder::create(data);
  if (!pairs)
    return std::unexpected(pairs.error());
  Result<WordSplitter> words = WordSplitter::create();
  if (!words)
    return std::unexpected(words.error());

  Tokenizer tokenizer(std::move(*pairs), std::move(*words));
  for (const std::string &token : data.vocabulary)
    tokenizer.bytesOfId.push_back(tokenToBytes(token));
  for (const auto &[text, id] : data.specialTokens) {
    bool inVocabulary =
        id >= 0 && static_cast<size_t>(id) < data.vocabulary.size();
    if (inVocabulary && data.vocabulary[id] != text &&
        tokenizer.bytesOfId[id] != text)
      return failure("tokenizer: special token '{}': got id {}, which is the "
                     "vocabulary's '{}'",
                     text, id, data.vocabulary[id]);
    if (auto added = tokenizer.addSpecial(text, id); !added)
      return std::unexpected(added.error());
  }
  std::ranges::stable_sort(tokenizer.specialTokens, std::greater{},
                           [](const auto &token) { return token.text.size(); });
  return tokenizer;
}

Result<void> Tokenizer::addSpecial(const std::string &text, int32_t id) {
  if (text.empty())
    return failure("tokenizer: special token of id {}: got empty text", id);
  if (id < 0)
    return failure("tokenizer: special token '{}': got id {}, expected 0 or "
                   "more",
                   text, id);
  for (const SpecialToken &other : specialTokens) {
    if (other.text == text && other.id == id)
      return {};
    if (other.text == text || other.id == id)
      return failure("tokenizer: special token '{}': got id {}, but '{}' has "
                     "id {}",
                     text, id, other.text, other.id);
  }
  specialTokens.push_back({text, id});
  if (static_cast<size_t>(id) < bytesOfId.size())
    bytesOfId[id] = text;
  else
    beyondVocabulary.emplace(id, text);
  return {};
}

Result<std::vector<int32_t>> Tokenizer::encode(std::string_view bytes,
                                               bool parseSpecial) const {
  std::vector<int32_t> ids;
  // Where each special token comes next: found once an occurrence, not once a
  // segment, so that many segments cost no more than one.
  std::vector<size_t> nextPlace;
  if (parseSpecial)
    for (const SpecialToken &token : specialTokens)
      nextPlace.push_back(bytes.find(token.text));

  size_t begin = 0;
  while (begin < bytes.size()) {
    // The first of equals is the longest.
    auto first = std::ranges::min_element(nextPlace);
    if (first == nextPlace.end() || *first == std::string_view::npos)
      break;
    const SpecialToken &token = specialTokens[first - nextPlace.begin()];
    if (auto done = encodeOrdinary(bytes.substr(begin, *first - begin), ids);
        !done)
      return std::unexpected(done.error());
    ids.push_back(token.id);
    begin = *first + token.text.size();
    for (size_t i = 0; i < nextPlace.size(); ++i)
      if (nextPlace[i] < begin)
        nextPlace[i] = bytes.find(specialTokens[i].text, begin);
  }
  if (auto done = encodeOrdinary(bytes.substr(begin), ids); !done)
    return std::unexpected(done.error());
  return ids;
}

Result<void> Tokenizer::encodeOrdinary(std::string_view bytes,
                                       std::vector<int32_t> &ids) const {
  KnownWords known;
  BytePairEncoder::Scratch scratch;
  Result<void> outcome;
  auto encodeWord = [&](std::string_view word) {
    if (!outcome || known.append(word, ids))
      return;
    size_t begin = ids.size();
    outcome = pairs.encode(word, scratch, ids);
    known.remember(word, begin, ids.size());
  };
  if (auto split = words.split(bytes, encodeWord); !split)
    return split;
  return outcome;
}

Result<std::string_view> Tokenizer::bytesOf(int32_t id) const {
  if (id >= 0 && static_cast<size_t>(id) < bytesOfId.size())
    return bytesOfId[id];
  if (auto it = beyondVocabulary.find(id); it != beyondVocabulary.end())
    return it->second;
  return failure("token id {} is not in the vocabulary of {} tokens", id,
                 bytesOfId.size());
}

Result<std::string> Tokenizer::decode(std::span<const int32_t> ids) const {
  std::string bytes;
  for (int32_t id : ids) {
    Result<std::string_view> token = bytesOf(id);
    if (!token)
      return std::unexpected(token.error());
    bytes += *token;
  }
  return bytes;
}

} // namespace tandem
