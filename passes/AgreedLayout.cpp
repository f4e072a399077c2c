#include "passes/AgreedLayout.h"

using namespace mlir;
using namespace tandem;

llvm::StringMap<SmallVector<OpOperand *>>
tandem::weightReaders(ModuleOp module) {
  llvm::StringMap<SmallVector<OpOperand *>> readers;
  module.walk([&](WeightOp weight) {
    for (OpOperand &use : weight->getUses())
      readers[weight.getParameter()].push_back(&use);
  });
  return readers;
}

/// The layout that one reader of a weight would have it in.
static WeightLayout preferred(OpOperand &use) {
  auto linear = dyn_cast<LinearOp>(use.getOwner());
  if (!linear || linear.getWeight() != use.get())
    return WeightLayout::Plain;
  return linear.getTransposeRhs() ? WeightLayout::RowPanels
                                  : WeightLayout::ColumnPanels;
}

WeightLayout tandem::agreedLayout(ArrayRef<OpOperand *> readers) {
  for (WeightLayout layout :
       {WeightLayout::ColumnPanels, WeightLayout::RowPanels})
    if (llvm::any_of(readers,
                     [&](OpOperand *use) { return preferred(*use) == layout; }))
      return llvm::all_of(readers,
                          [&](OpOperand *use) { return canRead(*use, layout); })
                 ? layout
                 : WeightLayout::Plain;
  return WeightLayout::Plain;
}
