#pragma once

#include "passes/PassReport.h"

#include "mlir/Pass/Pass.h"

namespace tandem {

/// A pass that says in numbers what it did: to a report where it has one, and
/// with its option `counts` in a remark on the op that it ran on.
template <typename Operation>
class CountingPass : public mlir::OperationPass<Operation> {
public:
  /// `to` must outlive the pass.
  void reportTo(PassReport &to) { report = &to; }

protected:
  explicit CountingPass(mlir::TypeID id) : mlir::OperationPass<Operation>(id) {}
  CountingPass(const CountingPass &other)
      : mlir::OperationPass<Operation>(other), report(other.report) {}

  /// To be called once a run, at its end.
  void count(std::initializer_list<std::pair<llvm::StringRef, int64_t>> list) {
    PassCounts counts(list.begin(), list.size());
    if (report)
      report->addCounts(this->getArgument(), counts);
    if (remarkCounts)
      this->getOperation()->emitRemark()
          << this->getArgument() << ": " << describe(counts);
  }

private:
  mlir::Pass::Option<bool> remarkCounts{
      *this, "counts",
      llvm::cl::desc("say in a remark what the pass did, in numbers"),
      llvm::cl::init(false)};
  PassReport *report = nullptr;
};

} // namespace tandem
