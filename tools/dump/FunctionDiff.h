#pragma once

#include "ir/Work.h"

#include <map>
#include <string>
#include <vector>

namespace tandem {

/// Ops of one kind: how many, and what they do together.
struct OpCount {
  int64_t count = 0;
  Work work;
};

/// An op that is on both sides, in other shapes or with other attributes.
struct ChangedOp {
  std::string op, before, after; // what differs, "1x192xf32"
  bool operator==(const ChangedOp &) const = default;
};

/// What happened to the ops of one part of the model.
struct OriginChange {
  std::string origin; // "h.0.attn.c_proj"; empty for ops of no known part
  std::map<std::string, int64_t> removed, added; // mnemonic -> how many
  std::vector<ChangedOp> changed;
  /// Read and written by all ops of the part, removed or not.
  int64_t bytesBefore = 0, bytesAfter = 0;

  bool isNothing() const {
    return removed.empty() && added.empty() && changed.empty();
  }
};

/// How one function differs from another. Ops are the same if they come from
/// the same part of the model, are of the same kind and the same in number
/// among those; that a tensor became a buffer is no difference.
struct FunctionDiff {
  std::string before, after;                              // names
  std::map<std::string, std::pair<OpCount, OpCount>> ops; // by mnemonic
  Work totalBefore, totalAfter;
  std::vector<OriginChange> changes; // in the order of the function
  /// The least number of ops on both sides that another order would move.
  int64_t numMoved = 0;
};

FunctionDiff diffFunctions(mlir::func::FuncOp before, mlir::func::FuncOp after);

} // namespace tandem
