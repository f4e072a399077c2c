#include "passes/AgreedLayout.h"
#include "passes/Passes.h"

namespace tandem {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

struct AssignLayouts : tandem::impl::AssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    llvm::StringMap<SmallVector<OpOperand *>> readers =
        weightReaders(getOperation());
    int64_t packed = 0, plain = 0;
    for (auto parameter : getOperation().getOps<ParameterOp>()) {
      WeightLayout layout = agreedLayout(readers[parameter.getSymName()]);
      parameter.setLayout(layout);
      ++(layout == WeightLayout::Plain ? plain : packed);
    }
    count({{"parameters packed", packed}, {"left plain", plain}});
  }
};

} // namespace
