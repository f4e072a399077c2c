#pragma once

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

/// Numbers under their names, such as ("linears formed", 48).
using PassCounts = llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>>;

/// "linears formed 48, residuals folded 24".
std::string describe(PassCounts counts);

/// What the passes of a pipeline did, in the order in which they first ran: a
/// pass that runs on every function adds up. Any thread may use it.
class PassReport {
public:
  void addTime(llvm::StringRef pass, double milliseconds);
  void addCounts(llvm::StringRef pass, PassCounts counts);

  /// A count of a pass; 0 where the pass never named it.
  int64_t count(llvm::StringRef pass, llvm::StringRef what) const;

  /// One line a pass: name, milliseconds, counts.
  void print(llvm::raw_ostream &out) const;

  /// Measures each pass into this report, which must outlive the pipeline.
  std::unique_ptr<mlir::PassInstrumentation> timer();

private:
  struct Entry {
    std::string pass;
    double milliseconds = 0;
    std::vector<std::pair<std::string, int64_t>> counts = {};
  };
  Entry &entryOf(llvm::StringRef pass); // `mutex` is held

  mutable std::mutex mutex;
  std::vector<Entry> entries;
};

} // namespace tandem
