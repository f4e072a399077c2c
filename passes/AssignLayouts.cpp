#include "passes/Passes.h"

namespace tandem {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

/// The layout that one reader of a weight would have it in.
WeightLayout preferred(OpOperand &use) {
  auto linear = dyn_cast<LinearOp>(use.getOwner());
  if (!linear || linear.getWeight() != use.get())
    return WeightLayout::Plain;
  return linear.getTransposeRhs() ? WeightLayout::RowPanels
                                  : WeightLayout::ColumnPanels;
}

/// An embedding reads single elements, so it can follow row panels.
bool accepts(OpOperand &use, WeightLayout layout) {
  if (auto embedding = dyn_cast<EmbeddingOp>(use.getOwner());
      embedding && embedding.getTable() == use.get())
    return layout == WeightLayout::RowPanels;
  return preferred(use) == layout;
}

struct AssignLayouts : tandem::impl::AssignLayoutsBase<AssignLayouts> {
  AssignLayouts() = default;
  explicit AssignLayouts(TargetInfo target) : target(std::move(target)) {}

  void runOnOperation() override {
    if (!target.packsWeights)
      return;
    llvm::StringMap<SmallVector<OpOperand *>> uses;
    getOperation().walk([&](WeightOp weight) {
      for (OpOperand &use : weight->getUses())
        uses[weight.getParameter()].push_back(&use);
    });
    for (auto parameter : getOperation().getOps<ParameterOp>()) {
      ArrayRef<OpOperand *> readers = uses[parameter.getSymName()];
      WeightLayout layout = WeightLayout::Plain;
      for (OpOperand *use : readers)
        if (preferred(*use) != WeightLayout::Plain)
          layout = preferred(*use);
      if (llvm::all_of(readers,
                       [&](OpOperand *use) { return accepts(*use, layout); }))
        parameter.setLayout(layout);
    }
  }

  TargetInfo target;
};

} // namespace

std::unique_ptr<Pass> tandem::createAssignLayouts(const TargetInfo &target) {
  return std::make_unique<AssignLayouts>(target);
}
