#include "passes/Legality.h"
#include "passes/Passes.h"

namespace tandem {
#define GEN_PASS_DEF_CHECKLEGALITY
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

struct CheckLegality : tandem::impl::CheckLegalityBase<CheckLegality> {
  using CheckLegalityBase::CheckLegalityBase;

  void runOnOperation() override {
    SmallVector<StringRef> known = passesWithLegality();
    if (!llvm::is_contained(known, after)) {
      getOperation().emitError("check-legality after: got '")
          << after << "', expected one of " << llvm::join(known, ", ");
      return signalPassFailure();
    }
    if (failed(checkLegalAfter(after, getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
