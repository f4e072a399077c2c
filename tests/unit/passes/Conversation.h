#pragma once

#include "Ledger.h"
#include "RandomWeights.h"

#include <optional>

namespace tandem {

/// The sizes that every model under test has, and the programs made of it.
inline constexpr int64_t testPositions = 40; // more than a block of the cache
inline constexpr int64_t testVocabulary = 11;

/// One fixed use of a module's programs, whatever their form: as imported,
/// on tensors, on buffers, planned. The same token of the same sequence must
/// have the same logits and hidden row in each, and by every way to it.
///
/// Four sequences. Without a cache each is run whole, or a part from its start.
/// With one, prompts are cut over prefill_16 and prefill_5, last chunks padded,
/// then decode_1 takes one sequence to its last position, and decode_4 takes
/// three others on, in another order than their block tables, over a block's
/// edge. Padding rows hold other ids, and are never looked at.
class Conversation {
public:
  Conversation(mlir::ModuleOp module, const RandomWeights &weights,
               Ledger &ledger);

  /// Runs every function that the module has.
  void run();

private:
  struct Sequence {
    std::vector<double> tokens; // testPositions of them
    std::vector<double> blocks; // of the cache
    int64_t length = 0;         // tokens that the cache has
  };

  void runModel();
  void runForward(llvm::StringRef name, int64_t rows);
  void runUncached();
  void runCached();
  void prefill(size_t sequence, int64_t rows, int64_t valid);
  void decode(int64_t rows, llvm::ArrayRef<size_t> who);
  void runHead(size_t sequence, int64_t position, const Array &hidden,
               int64_t row, int64_t rows);

  /// The program's results, none if there is no such program or it failed.
  std::vector<Array> call(llvm::StringRef name, llvm::ArrayRef<Array> inputs);
  void record(llvm::StringRef what, size_t sequence, int64_t position,
              const Array &array, int64_t row);

  mlir::ModuleOp module;
  const RandomWeights &weights;
  Ledger &ledger;
  std::vector<Sequence> sequences;
  std::optional<KvCacheState> cache;
};

} // namespace tandem
