#pragma once

#include "ir/Interpreter.h"
#include "passes/proof/OpNames.h"

#include <functional>
#include <optional>

namespace tandem {

/// What a conversation says, and what it is about.
struct Sequence {
  std::vector<double> tokens;
  std::vector<double> blocks; // of the cache: its row of the block table
  int64_t length = 0;         // tokens that the cache has
};

/// Looks up a parameter, as WeightLookup does.
using WeightFinder =
    std::function<mlir::FailureOr<Array>(llvm::StringRef name)>;

/// Takes a row of numbers: `what` is "hidden", "logits" or the name of an op.
using RowRecorder =
    std::function<void(llvm::StringRef what, size_t sequence, int64_t position,
                       llvm::ArrayRef<double> row)>;

/// Runs a module's programs on a few sequences in the reference interpreter,
/// whatever their form: as imported, on tensors, on buffers, planned. The same
/// token of the same sequence must have the same logits, hidden row and values
/// in each, and by every way to it.
///
/// What is not there is passed over. Padding rows hold other ids and positions,
/// and are never recorded.
class Conversation {
public:
  struct Setup {
    mlir::ModuleOp module;
    WeightFinder weights;
    std::vector<Sequence> sequences;
    int64_t vocabSize = 0, positions = 0; // ids and positions are below
    int64_t numCacheBlocks = 0;
    RowRecorder record;
    const TracedGraph *graph = nullptr; // whose ops to record; null: none
  };
  explicit Conversation(Setup setup);

  /// Whether the programs have a cache. Without one they see no further than
  /// their own rows, and only a sequence's first ones mean something.
  bool hasCache() const { return cache.has_value(); }
  /// Fills the cache with what no sequence has written.
  void spoilCache();

  int64_t length(size_t sequence) const {
    return setup.sequences[sequence].length;
  }
  void reset(size_t sequence) { setup.sequences[sequence].length = 0; }

  /// The imported graph, on all tokens.
  void runModel(size_t sequence);
  /// `name` of `rows` rows, on the first tokens; the hidden rows.
  std::optional<Array> forward(llvm::StringRef name, size_t sequence,
                               int64_t rows);
  /// The next `valid` tokens through `prefill_<rows>`, and the last one's row
  /// through `head_1`.
  void prefill(size_t sequence, int64_t rows, int64_t valid);
  /// The next token of each in `who` through `decode_<rows>`; block tables
  /// stand in the order of the sequences, rows in that of `who`.
  void decode(int64_t rows, llvm::ArrayRef<size_t> who);
  /// `rows` rows of hidden, the last of them `row`, through `head_<rows>`;
  /// `position` is that of the last.
  void head(size_t sequence, int64_t position, const Array &hidden, int64_t row,
            int64_t rows);

  /// Programs that could not be interpreted.
  llvm::ArrayRef<std::string> failures() const { return failed; }

private:
  /// Whose row a program's row is; none for padding.
  struct RowOwner {
    size_t sequence;
    int64_t position;
  };
  using RowOwners = std::vector<std::optional<RowOwner>>;

  RowOwners ownersOf(size_t sequence, int64_t first, int64_t count,
                     int64_t rows);
  /// The program's results, none if there is no such program or it failed.
  std::vector<Array> call(llvm::StringRef name, llvm::ArrayRef<Array> inputs,
                          const RowOwners &owners);
  void recordRows(llvm::StringRef what, const Array &array, int64_t rowDim,
                  const RowOwners &owners);
  std::vector<double> padding(int64_t count, int64_t limit) const;

  Setup setup;
  std::optional<KvCacheState> cache;
  std::vector<std::string> failed;
};

} // namespace tandem
