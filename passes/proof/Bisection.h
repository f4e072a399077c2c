#pragma once

#include "passes/Pipeline.h"
#include "passes/proof/Conversation.h"
#include "passes/proof/ValueTrace.h"

namespace tandem {

/// The first pass that changed a number, and the first op, in program order, of
/// which it did.
struct Fault {
  std::string pass, op; // op: "" where no op is at fault alone
  std::string message;
};

/// Holds one short conversation with a module after every pass, in the
/// reference interpreter, against the same conversation with the graph it was
/// imported as: two prefill chunks, the second one padded, two decode steps,
/// and the same tokens without a cache. Budgets are those of float64, so that a
/// fault is a fault and no rounding.
class Bisection {
public:
  /// Names the ops of `imported` and runs it. `weights` must outlive this.
  /// `precision` is what choose-precision will be asked for.
  static Result<Bisection> create(mlir::ModuleOp imported, WeightFinder weights,
                                  Precision precision = Precision::F32);

  /// The programs that the conversation needs.
  ProgramRows rows() const;

  /// What one pass did to the numbers.
  struct PassCheck {
    std::string pass;
    std::optional<Deviation> worst; // as worst(); none: nothing to compare
    std::optional<Fault> fault;
  };
  /// Holds the conversation with the module as `pass` has left it. Of
  /// choose-precision the budgets are the precision's, and what it makes of the
  /// numbers is what later passes must leave as it is.
  PassCheck check(mlir::ModuleOp module, llvm::StringRef pass);

private:
  Bisection(TracedGraph graph, WeightFinder weights, int64_t positions,
            Precision precision);

  /// What the programs made: those without a cache, and those with one.
  struct Said {
    ValueTrace uncached, cached;
    std::vector<std::string> failures; // programs that could not be run
  };
  Said converse(mlir::ModuleOp module) const;

  TracedGraph graph;
  WeightFinder weights;
  int64_t positions, numTokens, chunk;
  Precision precision;
  ValueTrace expected;
};

/// Runs the pipeline on the graph it starts with, and after every pass the
/// conversation; `seen` is told of each. Ends with the first fault, which it
/// returns. Of `options` the rows are the conversation's own.
Result<std::optional<Fault>>
bisect(mlir::ModuleOp imported, PipelineOptions options, WeightFinder weights,
       llvm::function_ref<void(const Bisection::PassCheck &)> seen);

} // namespace tandem
