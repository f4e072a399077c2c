#include "ir/WeightReaders.h"

using namespace mlir;
using namespace tandem;

bool tandem::canRead(OpOperand &weight, WeightLayout layout) {
  if (layout == WeightLayout::Plain)
    return true;
  if (isa<EmbeddingOp, AddEmbeddingOp>(weight.getOwner()))
    return layout == WeightLayout::RowPanels;
  auto linear = dyn_cast<LinearOp>(weight.getOwner());
  return linear && weight.getOperandNumber() == 1 &&
         layout == (linear.getTransposeRhs() ? WeightLayout::RowPanels
                                             : WeightLayout::ColumnPanels);
}
