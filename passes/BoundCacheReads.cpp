#include "passes/Passes.h"

namespace tandem {
#define GEN_PASS_DEF_BOUNDCACHEREADS
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

struct BoundCacheReads : tandem::impl::BoundCacheReadsBase<BoundCacheReads> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    ProgramAttr program = getProgram(function);
    if (!program || function.isExternal())
      return;
    int64_t bounded = 0;
    for (Operation &op : function.getBody().front()) {
      if (auto read = dyn_cast<KvReadOp>(op); read && !read.getNumPositions()) {
        read.setNumPositions(program.getPositions());
        ++bounded;
      }
      if (failed(updateResultTypes(&op)))
        return signalPassFailure();
    }
    count({{"reads bounded", bounded}});
  }
};

} // namespace
