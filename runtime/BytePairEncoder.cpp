#include "runtime/BytePairEncoder.h"
#include "runtime/ByteAlphabet.h"

#include <algorithm>

namespace tandem {

namespace {

using IdOfToken = std::unordered_map<std::string_view, int32_t>;

uint64_t pairKey(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 |
         static_cast<uint32_t>(right);
}

Result<IdOfToken> indexVocabulary(const TokenizerData &data) {
  IdOfToken idOfToken;
  idOfToken.reserve(data.vocabulary.size());
  for (size_t id = 0; id < data.vocabulary.size(); ++id) {
    auto [there, isNew] =
        idOfToken.emplace(data.vocabulary[id], static_cast<int32_t>(id));
    if (!isNew)
      return failure("tokenizer: token '{}': got ids {} and {}, expected one",
                     data.vocabulary[id], there->second, id);
  }
  return idOfToken;
}

constexpr auto comesLater = [](const auto &a, const auto &b) {
  return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
};

} // namespace

Result<BytePairEncoder> BytePairEncoder::create(const TokenizerData &data) {
  Result<IdOfToken> idOfToken = indexVocabulary(data);
  if (!idOfToken)
    return std::unexpected(idOfToken.error());

  BytePairEncoder encoder;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (auto it = idOfToken->find(byteSymbol(static_cast<uint8_t>(byte)));
        it != idOfToken->end())
      encoder.idOfByte[byte] = it->second;

  encoder.merges.reserve(data.merges.size());
  std::string whole; // of a merge's halves
  for (size_t rank = 0; rank < data.merges.size(); ++rank) {
    const auto &[left, right] = data.merges[rank];
    std::array<int32_t, 3> ids{};
    whole.assign(left).append(right);
    std::array<std::string_view, 3> tokens = {left, right, whole};
    for (size_t i = 0; i < tokens.size(); ++i) {
      auto it = idOfToken->find(tokens[i]);
      if (it == idOfToken->end())
        return failure("tokenizer: merge {} ('{}' '{}'): '{}' is not in the "
                       "vocabulary of {} tokens",
                       rank, left, right, tokens[i], data.vocabulary.size());
      ids[i] = it->second;
    }
    encoder.merges.insert_or_assign(pairKey(ids[0], ids[1]),
                                    Merge{static_cast<uint32_t>(rank), ids[2]});
  }
  return encoder;
}

const BytePairEncoder::Merge *BytePairEncoder::findMerge(int32_t left,
                                                         int32_t right) const {
  auto it = merges.find(pairKey(left, right));
  return it == merges.end() ? nullptr : &it->second;
}

Result<void> BytePairEncoder::start(std::string_view word,
                                    Scratch &scratch) const {
  scratch.symbols.clear();
  scratch.heap.clear();
  scratch.symbols.reserve(word.size());
  scratch.heap.reserve(word.size());
  for (size_t i = 0; i < word.size(); ++i) {
    std::optional<int32_t> id = idOfByte[static_cast<uint8_t>(word[i])];
    if (!id)
      return failure("tokenizer: byte 0x{:02X} has no token in the vocabulary",
                     static_cast<uint8_t>(word[i]));
    scratch.symbols.push_back({.id = *id,
                               .alive = true,
                               .previous = i == 0 ? word.size() : i - 1,
                               .next = i + 1});
  }
  return {};
}

void BytePairEncoder::consider(size_t left, Scratch &scratch) const {
  const auto &symbols = scratch.symbols;
  if (left == symbols.size() || symbols[left].next == symbols.size())
    return;
  int32_t leftId = symbols[left].id;
  int32_t rightId = symbols[symbols[left].next].id;
  const Merge *merge = findMerge(leftId, rightId);
  if (!merge)
    return;
  scratch.heap.push_back({.rank = merge->rank,
                          .left = left,
                          .leftId = leftId,
                          .rightId = rightId,
                          .result = merge->result});
  std::ranges::push_heap(scratch.heap, comesLater);
}

Result<void> BytePairEncoder::encode(std::string_view word, Scratch &scratch,
                                     std::vector<int32_t> &ids) const {
  if (auto started = start(word, scratch); !started)
    return started;
  auto &[symbols, heap] = scratch;
  for (size_t i = 0; i < symbols.size(); ++i)
    consider(i, scratch);

  while (!heap.empty()) {
    std::ranges::pop_heap(heap, comesLater);
    Scratch::Candidate best = heap.back();
    heap.pop_back();
    auto &left = symbols[best.left];
    if (!left.alive || left.id != best.leftId || left.next == symbols.size() ||
        symbols[left.next].id != best.rightId)
      continue;
    auto &right = symbols[left.next];
    right.alive = false;
    left.id = best.result;
    left.next = right.next;
    if (left.next != symbols.size())
      symbols[left.next].previous = best.left;
    consider(left.previous, scratch);
    consider(best.left, scratch);
  }
  for (size_t i = 0; i < symbols.size(); i = symbols[i].next)
    ids.push_back(symbols[i].id);
  return {};
}

} // namespace tandem
