#include "ir/OpName.h"

using namespace mlir;
using namespace tandem;

llvm::StringRef tandem::shortName(Operation *op) {
  return isa_and_nonnull<TandemDialect>(op->getDialect())
             ? op->getName().stripDialect()
             : op->getName().getStringRef();
}

llvm::StringRef tandem::originOf(Operation *op) {
  auto name = dyn_cast<NameLoc>(op->getLoc());
  return name ? name.getName().getValue() : llvm::StringRef();
}

SmallVector<NamedAttribute> tandem::statedAttributes(Operation *op) {
  llvm::StringRef sizes =
      OpTrait::AttrSizedOperandSegments<void>::getOperandSegmentSizeAttr();
  SmallVector<NamedAttribute> stated;
  llvm::copy_if(op->getAttrs(), std::back_inserter(stated),
                [&](NamedAttribute named) { return named.getName() != sizes; });
  return stated;
}
