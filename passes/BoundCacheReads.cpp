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
    for (Operation &op : function.getBody().front()) {
      auto shaped = dyn_cast<InferTypeOpInterface>(op);
      if (!shaped || op.getNumResults() == 0)
        continue;
      if (auto read = dyn_cast<KvReadOp>(op); read && !read.getNumPositions())
        read.setNumPositions(program.getPositions());
      SmallVector<Type> types;
      if (failed(shaped.inferReturnTypes(
              &getContext(), op.getLoc(), op.getOperands(),
              op.getAttrDictionary(), op.getPropertiesStorage(), {}, types)))
        return signalPassFailure();
      for (auto [result, type] : llvm::zip_equal(op.getResults(), types))
        result.setType(type);
    }
  }
};

} // namespace
