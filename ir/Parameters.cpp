#include "ir/Parameters.h"

using namespace mlir;
using namespace tandem;

Layout tandem::layoutOf(ParameterOp parameter) {
  switch (parameter.getLayout()) {
  case WeightLayout::Plain:
    return Layout::Plain;
  case WeightLayout::ColumnPanels:
    return Layout::ColumnPanels;
  case WeightLayout::RowPanels:
    return Layout::RowPanels;
  }
  llvm_unreachable("every layout has a counterpart");
}

llvm::DenseSet<StringAttr> tandem::parametersRead(ModuleOp module) {
  llvm::DenseSet<StringAttr> names;
  module.walk([&](WeightOp weight) {
    names.insert(weight.getParameterAttr().getAttr());
  });
  return names;
}
