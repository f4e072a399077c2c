#include "ir/Tandem.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tandem;

#include "ir/TandemDialect.cpp.inc"
#include "ir/TandemEnums.cpp.inc"
#include "ir/TandemInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/TandemAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/TandemTypes.cpp.inc"

#define GET_OP_CLASSES
#include "ir/TandemOps.cpp.inc"

namespace {

/// Short names for what every line of a dump repeats: `#transient`,
/// `!kv_cache`.
struct TandemAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    auto storage = dyn_cast<StorageClassAttr>(attribute);
    if (!storage)
      return AliasResult::NoAlias;
    os << stringifyStorageClass(storage.getValue());
    return AliasResult::FinalAlias;
  }

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    if (!isa<KvCacheType>(type))
      return AliasResult::NoAlias;
    os << "kv_cache";
    return AliasResult::FinalAlias;
  }
};

} // namespace

void WeightOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getParameter());
}

void TandemDialect::initialize() {
  addInterfaces<TandemAliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/TandemAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/TandemTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/TandemOps.cpp.inc"
      >();
}

LogicalResult tandem::inferTensors(Type elementType, FailureOr<Shapes> shapes,
                                   ValueRange destinations,
                                   SmallVectorImpl<Type> &types) {
  if (failed(shapes))
    return failure();
  if (destinations.empty())
    for (ArrayRef<int64_t> shape : *shapes)
      types.push_back(RankedTensorType::get(shape, elementType));
  return success();
}

LogicalResult tandem::updateResultTypes(Operation *op) {
  auto shaped = dyn_cast<InferTypeOpInterface>(op);
  if (!shaped || op->getNumResults() == 0)
    return success();
  SmallVector<Type> types;
  if (failed(shaped.inferReturnTypes(op->getContext(), op->getLoc(),
                                     op->getOperands(), op->getAttrDictionary(),
                                     op->getPropertiesStorage(), {}, types)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  return success();
}
