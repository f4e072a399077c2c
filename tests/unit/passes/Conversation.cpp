#include "Conversation.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;
using namespace tandem;

static constexpr int64_t blocksPerSequence = 2; // of 32, for 40 positions

static Array vectorOf(std::vector<double> elements) {
  int64_t size = static_cast<int64_t>(elements.size());
  return Array(size, std::move(elements));
}

static std::vector<double> countFrom(int64_t first, int64_t count) {
  std::vector<double> numbers(count);
  for (double &number : numbers)
    number = static_cast<double>(first++);
  return numbers;
}

/// Blocks in no order: 5 n + 3 modulo 8 is a permutation.
Conversation::Conversation(ModuleOp module, const RandomWeights &weights,
                           Ledger &ledger)
    : module(module), weights(weights), ledger(ledger) {
  for (int i = 0; i < 4; ++i) {
    Sequence sequence;
    sequence.tokens =
        randomIds(fmt::format("sequence {}", i), testPositions, testVocabulary);
    for (int block = 0; block < blocksPerSequence; ++block)
      sequence.blocks.push_back((5 * (2 * i + block) + 3) % 8);
    sequences.push_back(sequence);
  }
  for (auto function : module.getOps<func::FuncOp>())
    for (Type type : function.getArgumentTypes())
      if (auto cacheType = dyn_cast<KvCacheType>(type))
        cache.emplace(cacheType, 4 * blocksPerSequence);
}

void Conversation::run() {
  runModel();
  runForward("forward_7", 7);
  runForward("forward_any", 23);
  if (cache)
    runCached();
  else
    runUncached();
}

std::vector<Array> Conversation::call(StringRef name, ArrayRef<Array> inputs) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return {};
  auto results =
      interpret(function, inputs, cache ? &*cache : nullptr,
                [&](StringRef weight) { return weights.find(weight); });
  if (succeeded(results))
    return std::move(*results);
  ledger.fail(name.str() + " cannot be interpreted");
  return {};
}

void Conversation::record(StringRef what, size_t sequence, int64_t position,
                          const Array &array, int64_t row) {
  int64_t width = array.dim(1);
  ledger.record(
      fmt::format("{} of sequence {} at {}", what.str(), sequence, position),
      ArrayRef(array.elements).slice(row * width, width));
}

//===-- Without a cache ---------------------------------------------------===//

void Conversation::runModel() {
  for (size_t s = 0; s < sequences.size(); ++s)
    for (const Array &logits :
         call("forward", {vectorOf(sequences[s].tokens),
                          vectorOf(countFrom(0, testPositions))}))
      for (int64_t n = 0; n < testPositions; ++n)
        record("logits", s, n, logits, n);
}

void Conversation::runForward(StringRef name, int64_t rows) {
  for (size_t s = 0; s < sequences.size(); ++s) {
    std::vector<double> tokens = sequences[s].tokens;
    tokens.resize(rows);
    auto results = call(name, {vectorOf(tokens), vectorOf(countFrom(0, rows))});
    if (results.empty())
      return;
    for (int64_t n = 0; n < rows; ++n)
      record("hidden", s, n, results[0], n);
    runHead(s, rows - 1, results[0], rows - 1, 1);
    runHead(s, 2, results[0], 2, 3);
  }
}

/// The last `rows` rows of hidden up to `row`, whose position is given.
void Conversation::runHead(size_t sequence, int64_t position,
                           const Array &hidden, int64_t row, int64_t rows) {
  int64_t width = hidden.dim(1), first = row - rows + 1;
  auto part = ArrayRef(hidden.elements).slice(first * width, rows * width);
  auto results =
      call(fmt::format("head_{}", rows), Array({rows, width}, part.vec()));
  if (results.empty())
    return;
  for (int64_t n = 0; n < rows; ++n)
    record("logits", sequence, position - rows + 1 + n, results[0], n);
}

/// Programs that are yet to get a cache see no further than their own rows, so
/// that only a sequence's first ones mean something.
void Conversation::runUncached() {
  for (size_t s = 0; s < sequences.size(); ++s)
    prefill(s, 16, s == 2 ? 9 : 16);
  for (Sequence &sequence : sequences)
    sequence.length = 0;
  decode(1, {1});
}

//===-- With a cache ------------------------------------------------------===//

void Conversation::runCached() {
  std::fill(cache->elements.begin(), cache->elements.end(), 7.0); // stale
  prefill(0, 16, 16);
  prefill(3, 5, 5); // another sequence in between
  prefill(0, 16, 16);
  prefill(0, 16, 3);
  while (sequences[0].length < testPositions)
    decode(1, {0});
  prefill(1, 16, 16);
  prefill(1, 16, 15);
  prefill(2, 5, 1);
  prefill(3, 16, 11);
  decode(4, {3, 1, 2});
  decode(4, {2, 1, 3});
  decode(4, {1, 2, 3});
}

void Conversation::prefill(size_t who, int64_t rows, int64_t valid) {
  Sequence &sequence = sequences[who];
  std::vector<double> tokens = randomIds("padding", rows, testVocabulary);
  std::vector<double> positions = randomIds("places", rows, testPositions);
  for (int64_t n = 0; n < valid; ++n) {
    tokens[n] = sequence.tokens[sequence.length + n];
    positions[n] = sequence.length + n;
  }
  auto results =
      call(fmt::format("prefill_{}", rows),
           {vectorOf(tokens), vectorOf(positions), Array::zeros(rows),
            Array({1, blocksPerSequence}, sequence.blocks),
            vectorOf({static_cast<double>(valid)})});
  if (results.empty())
    return;
  for (int64_t n = 0; n < valid; ++n)
    record("hidden", who, sequence.length + n, results[0], n);
  sequence.length += valid;
  runHead(who, sequence.length - 1, results[0], valid - 1, 1);
}

/// Tables stand in the order of `sequences`; rows in that of `who`.
void Conversation::decode(int64_t rows, ArrayRef<size_t> who) {
  std::vector<double> tokens = randomIds("padding", rows, testVocabulary);
  std::vector<double> positions = randomIds("places", rows, testPositions);
  std::vector<double> indices = randomIds("indices", rows, rows), tables;
  for (int64_t s = 0; s < rows; ++s) {
    const Sequence &owner = sequences[rows == 1 ? who[0] : s];
    tables.insert(tables.end(), owner.blocks.begin(), owner.blocks.end());
  }
  for (auto [n, s] : llvm::enumerate(who)) {
    tokens[n] = sequences[s].tokens[sequences[s].length];
    positions[n] = sequences[s].length;
    indices[n] = rows == 1 ? 0 : s;
  }
  auto results = call(fmt::format("decode_{}", rows),
                      {vectorOf(tokens), vectorOf(positions), vectorOf(indices),
                       Array({rows, blocksPerSequence}, tables),
                       vectorOf({static_cast<double>(who.size())})});
  if (results.size() != 2)
    return;
  for (auto [n, s] : llvm::enumerate(who)) {
    record("hidden", s, sequences[s].length, results[0], n);
    record("logits", s, sequences[s].length, results[1], n);
    ++sequences[s].length;
  }
}
