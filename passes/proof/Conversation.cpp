#include "passes/proof/Conversation.h"
#include "passes/proof/ValueTrace.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace tandem;

static Array vectorOf(std::vector<double> elements) {
  int64_t size = static_cast<int64_t>(elements.size());
  return Array(size, std::move(elements));
}

static std::vector<double> countFrom(int64_t first, int64_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), static_cast<double>(first));
  return numbers;
}

Conversation::Conversation(Setup given) : setup(std::move(given)) {
  for (auto function : setup.module.getOps<func::FuncOp>())
    for (Type type : function.getArgumentTypes())
      if (auto cacheType = dyn_cast<KvCacheType>(type))
        cache.emplace(cacheType, setup.numCacheBlocks);
}

void Conversation::spoilCache() {
  std::fill(cache->elements.begin(), cache->elements.end(), 7.0);
}

std::vector<double> Conversation::padding(int64_t count, int64_t limit) const {
  std::vector<double> ids(count);
  for (int64_t i = 0; i < count; ++i)
    ids[i] = static_cast<double>((7 * i + 3) % limit);
  return ids;
}

Conversation::RowOwners Conversation::ownersOf(size_t sequence, int64_t first,
                                               int64_t count, int64_t rows) {
  RowOwners owners(rows);
  for (int64_t n = 0; n < count; ++n)
    owners[n] = RowOwner{sequence, first + n};
  return owners;
}

//===-- Programs ----------------------------------------------------------===//

void Conversation::recordRows(StringRef what, const Array &array,
                              int64_t rowDim, const RowOwners &owners) {
  TracedOp op = {.name = {},
                 .rank = static_cast<int64_t>(array.shape.size()),
                 .rowDim = rowDim};
  auto layout = rowLayout(array.shape, op, std::ssize(owners));
  if (!layout)
    return;
  for (auto [n, owner] : llvm::enumerate(owners)) {
    if (!owner)
      continue;
    std::vector<double> row;
    for (int64_t i = 0; i < layout->outer; ++i) {
      auto part =
          ArrayRef(array.elements)
              .slice((i * layout->rows + n) * layout->inner, layout->inner);
      row.insert(row.end(), part.begin(), part.end());
    }
    setup.record(what, owner->sequence, owner->position, row);
  }
}

std::vector<Array> Conversation::call(StringRef name, ArrayRef<Array> inputs,
                                      const RowOwners &owners) {
  auto function = setup.module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return {};
  // An attention that goes through the cache is several ops of one name: the
  // last value counts.
  llvm::StringMap<Array> made;
  auto observe = [&](Operation *op, ArrayRef<Array> results) {
    if (setup.graph && setup.graph->find(nameIn(op->getLoc())))
      made[nameIn(op->getLoc())] = results.back();
  };
  auto results = interpret(function, inputs, cache ? &*cache : nullptr,
                           setup.weights, observe);
  for (auto &entry : made) {
    const TracedOp &op = *setup.graph->find(entry.first());
    bool isAsImported = std::ssize(entry.second.shape) == op.rank;
    if (isAsImported || entry.second.shape.size() == 2)
      recordRows(op.name, entry.second, isAsImported ? op.rowDim : 0, owners);
  }
  if (succeeded(results))
    return std::move(*results);
  failed.push_back(name.str() + " cannot be interpreted");
  return {};
}

void Conversation::runModel(size_t sequence) {
  const std::vector<double> &tokens = setup.sequences[sequence].tokens;
  int64_t rows = std::ssize(tokens);
  RowOwners owners = ownersOf(sequence, 0, rows, rows);
  for (const Array &logits : call(
           "forward", {vectorOf(tokens), vectorOf(countFrom(0, rows))}, owners))
    recordRows("logits", logits, 0, owners);
}

std::optional<Array> Conversation::forward(StringRef name, size_t sequence,
                                           int64_t rows) {
  std::vector<double> tokens = setup.sequences[sequence].tokens;
  tokens.resize(rows);
  RowOwners owners = ownersOf(sequence, 0, rows, rows);
  auto results =
      call(name, {vectorOf(tokens), vectorOf(countFrom(0, rows))}, owners);
  if (results.empty())
    return std::nullopt;
  recordRows("hidden", results[0], 0, owners);
  return results[0];
}

void Conversation::head(size_t sequence, int64_t position, const Array &hidden,
                        int64_t row, int64_t rows) {
  int64_t width = hidden.dim(1), first = row - rows + 1;
  auto part = ArrayRef(hidden.elements).slice(first * width, rows * width);
  RowOwners owners = ownersOf(sequence, position - rows + 1, rows, rows);
  auto results = call(fmt::format("head_{}", rows),
                      Array({rows, width}, part.vec()), owners);
  if (!results.empty())
    recordRows("logits", results[0], 0, owners);
}

void Conversation::prefill(size_t who, int64_t rows, int64_t valid) {
  Sequence &sequence = setup.sequences[who];
  std::vector<double> tokens = padding(rows, setup.vocabSize);
  std::vector<double> positions = padding(rows, setup.positions);
  for (int64_t n = 0; n < valid; ++n) {
    tokens[n] = sequence.tokens[sequence.length + n];
    positions[n] = static_cast<double>(sequence.length + n);
  }
  RowOwners owners = ownersOf(who, sequence.length, valid, rows);
  auto results =
      call(fmt::format("prefill_{}", rows),
           {vectorOf(tokens), vectorOf(positions), Array::zeros(rows),
            Array({1, std::ssize(sequence.blocks)}, sequence.blocks),
            vectorOf({static_cast<double>(valid)})},
           owners);
  if (results.empty())
    return;
  recordRows("hidden", results[0], 0, owners);
  sequence.length += valid;
  head(who, sequence.length - 1, results[0], valid - 1, 1);
}

void Conversation::decode(int64_t rows, ArrayRef<size_t> who) {
  std::vector<double> tokens = padding(rows, setup.vocabSize);
  std::vector<double> positions = padding(rows, setup.positions);
  std::vector<double> indices = padding(rows, rows), tables;
  for (int64_t s = 0; s < rows; ++s) {
    const auto &blocks = setup.sequences[rows == 1 ? who[0] : s].blocks;
    tables.insert(tables.end(), blocks.begin(), blocks.end());
  }
  RowOwners owners(rows);
  for (auto [n, s] : llvm::enumerate(who)) {
    Sequence &sequence = setup.sequences[s];
    tokens[n] = sequence.tokens[sequence.length];
    positions[n] = static_cast<double>(sequence.length);
    indices[n] = rows == 1 ? 0 : static_cast<double>(s);
    owners[n] = RowOwner{s, sequence.length};
  }
  int64_t blocks = std::ssize(tables) / rows;
  auto results = call(fmt::format("decode_{}", rows),
                      {vectorOf(tokens), vectorOf(positions), vectorOf(indices),
                       Array({rows, blocks}, tables),
                       vectorOf({static_cast<double>(who.size())})},
                      owners);
  if (results.size() != 2)
    return;
  recordRows("hidden", results[0], 0, owners);
  recordRows("logits", results[1], 0, owners);
  for (size_t s : who)
    ++setup.sequences[s].length;
}
