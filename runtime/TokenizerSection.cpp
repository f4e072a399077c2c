#include "runtime/TokenizerSection.h"

#include <cstring>
#include <string_view>
#include <unordered_map>

namespace tandem {

Result<std::vector<std::byte>> tokenizerSection(const TokenizerData &data) {
  std::vector<int32_t> numbers = {
      static_cast<int32_t>(data.vocabulary.size()),
      static_cast<int32_t>(data.merges.size()),
      static_cast<int32_t>(data.specialTokens.size())};
  std::unordered_map<std::string_view, int32_t> ids;
  std::string texts;
  for (const std::string &token : data.vocabulary) {
    ids.emplace(token, static_cast<int32_t>(ids.size()));
    numbers.push_back(static_cast<int32_t>(token.size()));
    texts += token;
  }
  for (const auto &[text, id] : data.specialTokens) {
    numbers.push_back(static_cast<int32_t>(text.size()));
    texts += text;
  }
  for (const auto &[text, id] : data.specialTokens)
    numbers.push_back(id);
  for (const auto &[left, right] : data.merges)
    for (const std::string &half : {left, right}) {
      auto found = ids.find(half);
      if (found == ids.end())
        return failure("merge of '{}' and '{}': got a half that is no token, "
                       "expected two tokens",
                       left, right);
      numbers.push_back(found->second);
    }
  auto front = std::as_bytes(std::span(numbers));
  auto back = std::as_bytes(std::span(texts));
  std::vector<std::byte> section(front.begin(), front.end());
  section.insert(section.end(), back.begin(), back.end());
  return section;
}

namespace {

/// Takes numbers and texts off the front; notes where there are not enough.
class Pieces {
public:
  explicit Pieces(std::span<const std::byte> rest) : rest(rest) {}

  std::vector<int32_t> numbers(int64_t count) {
    std::vector<int32_t> result;
    auto bytes = take(count, sizeof(int32_t));
    if (bytes.empty())
      return result;
    result.resize(count);
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }

  std::string text(int64_t size) {
    auto bytes = take(size, 1);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }

  /// Whether all there was has been taken, and no more.
  bool fit() const { return enough && rest.empty(); }
  bool ok() const { return enough; }

private:
  std::span<const std::byte> take(int64_t count, int64_t sizeInBytes) {
    enough = enough && count >= 0 &&
             count <= static_cast<int64_t>(rest.size()) / sizeInBytes;
    if (!enough)
      return {};
    auto taken = rest.first(count * sizeInBytes);
    rest = rest.subspan(taken.size());
    return taken;
  }

  std::span<const std::byte> rest;
  bool enough = true;
};

} // namespace

Result<TokenizerData>
parseTokenizerSection(std::span<const std::byte> section) {
  auto damaged = failure("got numbers and {} bytes that do not fit together",
                         section.size());
  Pieces pieces(section);
  std::vector<int32_t> counts = pieces.numbers(3);
  if (!pieces.ok())
    return damaged;
  std::vector<int32_t> sizes = pieces.numbers(counts[0]);
  std::vector<int32_t> specialSizes = pieces.numbers(counts[2]);
  std::vector<int32_t> specialIds = pieces.numbers(counts[2]);
  std::vector<int32_t> halves = pieces.numbers(int64_t{2} * counts[1]);
  if (!pieces.ok())
    return damaged;
  TokenizerData data;
  data.vocabulary.reserve(sizes.size());
  for (int32_t size : sizes)
    data.vocabulary.push_back(pieces.text(size));
  for (size_t i = 0; i < specialSizes.size(); ++i)
    data.specialTokens.emplace_back(pieces.text(specialSizes[i]),
                                    specialIds[i]);
  if (!pieces.fit())
    return damaged;
  data.merges.reserve(halves.size() / 2);
  for (size_t i = 0; i < halves.size(); i += 2) {
    for (int32_t half : {halves[i], halves[i + 1]})
      if (half < 0 || half >= counts[0])
        return failure("merge {}: got id {}, expected one of {} tokens", i / 2,
                       half, counts[0]);
    data.merges.emplace_back(data.vocabulary[halves[i]],
                             data.vocabulary[halves[i + 1]]);
  }
  return data;
}

} // namespace tandem
