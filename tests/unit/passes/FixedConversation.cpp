#include "FixedConversation.h"

#include "passes/proof/Conversation.h"

#include <fmt/format.h>

using namespace mlir;
using namespace tandem;

static constexpr int numSequences = 4;
static constexpr int64_t blocksPerSequence = 2; // of 32, for 40 positions

/// Blocks in no order: 5 n + 3 modulo 8 is a permutation.
static std::vector<Sequence> sequences() {
  std::vector<Sequence> sequences;
  for (int i = 0; i < numSequences; ++i) {
    Sequence sequence;
    sequence.tokens =
        randomIds(fmt::format("sequence {}", i), testPositions, testVocabulary);
    for (int block = 0; block < blocksPerSequence; ++block)
      sequence.blocks.push_back((5 * (2 * i + block) + 3) % 8);
    sequences.push_back(sequence);
  }
  return sequences;
}

static void runForward(Conversation &conversation, StringRef name,
                       int64_t rows) {
  for (size_t s = 0; s < numSequences; ++s) {
    auto hidden = conversation.forward(name, s, rows);
    if (!hidden)
      return;
    conversation.head(s, rows - 1, *hidden, rows - 1, 1);
    conversation.head(s, 2, *hidden, 2, 3);
  }
}

static void runUncached(Conversation &conversation) {
  for (size_t s = 0; s < numSequences; ++s)
    conversation.prefill(s, 16, s == 2 ? 9 : 16);
  for (size_t s = 0; s < numSequences; ++s)
    conversation.reset(s);
  conversation.decode(1, {1});
}

static void runCached(Conversation &conversation) {
  conversation.spoilCache();
  conversation.prefill(0, 16, 16);
  conversation.prefill(3, 5, 5); // another sequence in between
  conversation.prefill(0, 16, 16);
  conversation.prefill(0, 16, 3);
  while (conversation.length(0) < testPositions)
    conversation.decode(1, {0});
  conversation.prefill(1, 16, 16);
  conversation.prefill(1, 16, 15);
  conversation.prefill(2, 5, 1);
  conversation.prefill(3, 16, 11);
  conversation.decode(4, {3, 1, 2});
  conversation.decode(4, {2, 1, 3});
  conversation.decode(4, {1, 2, 3});
}

void tandem::converse(ModuleOp module, const RandomWeights &weights,
                      Ledger &ledger) {
  Conversation conversation(
      {.module = module,
       .weights = [&](StringRef name) { return weights.find(name); },
       .sequences = sequences(),
       .vocabSize = testVocabulary,
       .positions = testPositions,
       .numCacheBlocks = numSequences * blocksPerSequence,
       .record =
           [&](StringRef what, size_t sequence, int64_t position,
               ArrayRef<double> row) {
             ledger.record(fmt::format("{} of sequence {} at {}", what.str(),
                                       sequence, position),
                           row);
           }});
  for (size_t s = 0; s < numSequences; ++s)
    conversation.runModel(s);
  runForward(conversation, "forward_7", 7);
  runForward(conversation, "forward_any", 23);
  if (conversation.hasCache())
    runCached(conversation);
  else
    runUncached(conversation);
  for (const std::string &failure : conversation.failures())
    ledger.fail(failure);
}
