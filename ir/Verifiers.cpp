#include "ir/ElementTypes.h"
#include "ir/WeightReaders.h"
#include "support/Layout.h"

using namespace mlir;
using namespace tandem;

/// Tensors make tensors, and memrefs go into memrefs.
static LogicalResult verifyOneForm(Operation *op, bool isTensorForm) {
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (isTensorForm ? isa<MemRefType>(type) : isa<TensorType>(type))
      return op->emitOpError("operand #")
             << i << ": got " << type << ", expected a "
             << (isTensorForm ? "tensor, since there are results"
                              : "memref, since there are destinations");
  return success();
}

LogicalResult tandem::verifyDestinations(Operation *op, ValueRange destinations,
                                         FailureOr<Shapes> shapes) {
  if (failed(shapes))
    return failure();
  size_t numResults = op->getNumResults();
  if (std::min(numResults, destinations.size()) != 0 ||
      std::max(numResults, destinations.size()) != shapes->size())
    return op->emitOpError("destinations: got ")
           << destinations.size() << " and " << numResults
           << " results, expected either " << shapes->size()
           << " results or as many destinations";
  if (failed(verifyOneForm(op, numResults != 0)))
    return failure();
  for (auto [result, shape] : llvm::zip(op->getResultTypes(), *shapes))
    if (auto expected = cast<RankedTensorType>(result).clone(shape);
        result != expected)
      return op->emitOpError("result: got ")
             << result << ", expected " << expected;
  for (auto [destination, shape] : llvm::zip(destinations, *shapes)) {
    auto type = cast<MemRefType>(destination.getType());
    if (type.getShape() != ArrayRef(shape))
      return op->emitOpError("destination: got ")
             << type << ", expected shape [" << ArrayRef(shape) << "]";
    if (auto cast = dyn_cast<CastOp>(op);
        cast && type.getElementType() != cast.getTo())
      return op->emitOpError("destination: got ")
             << type << ", expected elements " << cast.getTo();
  }
  return success();
}

LogicalResult KvCacheType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t layers, int64_t heads,
                                  int64_t headSize, int64_t block,
                                  int64_t positions, Type elementType) {
  std::pair<StringRef, int64_t> sizes[] = {{"layers", layers},
                                           {"heads", heads},
                                           {"head_size", headSize},
                                           {"block", block},
                                           {"positions", positions}};
  for (auto [name, size] : sizes)
    if (size < 1)
      return emitError() << "kv_cache " << name << ": got " << size
                         << ", expected 1 or more";
  if (!elementType.isF32())
    return emitError() << "kv_cache element type: got " << elementType
                       << ", expected f32";
  return success();
}

LogicalResult ParameterOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape() || !elementTypeOf(type.getElementType()))
    return emitOpError("type: got ")
           << getType()
           << ", expected a tensor of static shape in f32, bf16, qint8 or "
              "qint4";
  bool isNarrow = !type.getElementType().isF32();
  if (isNarrow && getLayout() == WeightLayout::Plain)
    return emitOpError("layout: got plain of ")
           << type << ", expected panels, in which narrow weights lie";
  if (getLayout() != WeightLayout::Plain && type.getRank() != 2)
    return emitOpError("layout: got ")
           << stringifyWeightLayout(getLayout()) << " of " << type
           << ", expected plain, since the rank is not 2";
  if (getParts().has_value() != getDim().has_value() ||
      (getParts() && getParts()->empty()))
    return emitOpError("parts: got none, or no dim, expected both or neither");
  if (getParts() && type.getRank() > 2)
    return emitOpError("type: got ")
           << type << ", expected rank 1 or 2, since it has parts";
  if (IntegerAttr dim = getDimAttr();
      dim && (dim.getInt() < 0 || dim.getInt() >= type.getRank()))
    return emitOpError("dim: got ")
           << dim.getInt() << ", expected a dimension of " << type;
  if (std::optional<int64_t> offset = getOffset();
      offset && (*offset < 0 || *offset % bufferAlignment != 0))
    return emitOpError("offset: got ")
           << *offset << ", expected a multiple of " << bufferAlignment;
  return success();
}

SmallVector<FlatSymbolRefAttr> ParameterOp::getPartRefs() {
  if (!getParts())
    return {};
  return llvm::to_vector(getParts()->getAsRange<FlatSymbolRefAttr>());
}

LogicalResult ParameterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getParts())
    return success();
  auto type = cast<RankedTensorType>(getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t dim = *getDim(), total = 0;
  for (FlatSymbolRefAttr name : getPartRefs()) {
    auto part = symbols.lookupNearestSymbolFrom<ParameterOp>(*this, name);
    if (!part)
      return emitOpError("parts: got ")
             << name << ", expected the name of a tandem.parameter";
    if (part.getParts())
      return emitOpError("parts: got ")
             << name << ", which has parts, expected one without";
    auto partType = cast<RankedTensorType>(part.getType());
    if (partType.getRank() == type.getRank())
      total += shape[dim] = partType.getDimSize(dim);
    if (partType.getShape() != ArrayRef(shape))
      return emitOpError("parts: got ")
             << name << " of " << partType << ", expected the shape of " << type
             << " but for dimension " << dim;
  }
  if (total != type.getDimSize(dim))
    return emitOpError("parts: got ")
           << total << " in dimension " << dim << " together, expected "
           << type.getDimSize(dim);
  return success();
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter =
      symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
  if (!parameter)
    return emitOpError("parameter: got ")
           << getParameterAttr() << ", expected the name of a tandem.parameter";
  auto declared = cast<ShapedType>(parameter.getType());
  auto used = cast<ShapedType>(getResult().getType());
  if (declared.getShape() != used.getShape() ||
      declared.getElementType() != used.getElementType())
    return emitOpError("result: got ")
           << used << ", expected the shape of " << getParameterAttr() << ", "
           << declared;
  for (OpOperand &use : getResult().getUses())
    if (!canRead(use, parameter.getLayout()))
      return use.getOwner()->emitOpError("operand ")
             << use.getOperandNumber() << ": got " << getParameterAttr()
             << " in layout " << stringifyWeightLayout(parameter.getLayout())
             << ", expected one that the op can read";
  return success();
}

/// The type of the cache that a program takes, or null.
static KvCacheType cacheOf(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (auto cache = dyn_cast<KvCacheType>(type))
      return cache;
  return {};
}

/// What a module says of itself.
static LogicalResult verifyModuleAttribute(Operation *op,
                                           NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  bool fits = false;
  StringRef expected;
  if (name == stageAttrName || name == weightsAttrName) {
    fits = isa<StringAttr>(value);
    expected = "a string";
  } else if (name == threadsAttrName) {
    auto number = dyn_cast<IntegerAttr>(value);
    fits = number && number.getType().isInteger(64) && number.getInt() > 0 &&
           number.getInt() <= INT32_MAX;
    expected = "an i64 from 1 to 2147483647";
  } else if (name == eosTokensAttrName) {
    auto ids = dyn_cast<DenseI64ArrayAttr>(value);
    fits = ids && llvm::all_of(ids.asArrayRef(), [](int64_t id) {
             return id >= 0 && id <= INT32_MAX;
           });
    expected = "array<i64: ...> of token ids";
  } else {
    return op->emitOpError("attribute '")
           << name << "': got it on a module, expected one of '"
           << stageAttrName << "', '" << weightsAttrName << "', '"
           << threadsAttrName << "' and '" << eosTokensAttrName << "'";
  }
  if (fits)
    return success();
  return op->emitOpError("attribute '")
         << name << "': got " << value << ", expected " << expected;
}

LogicalResult
TandemDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  if (isa<ModuleOp>(op))
    return verifyModuleAttribute(op, attribute);
  auto function = dyn_cast<func::FuncOp>(op);
  if (attribute.getName() != programAttrName || !function)
    return op->emitOpError("attribute '")
           << attribute.getName().getValue() << "': got it on '"
           << op->getName().getStringRef() << "', expected only '"
           << programAttrName << "' on a function";
  auto program = dyn_cast<ProgramAttr>(attribute.getValue());
  if (!program || program.getPositions() < 1)
    return op->emitOpError("attribute '")
           << programAttrName << "': got " << attribute.getValue()
           << ", expected #tandem.program with 1 or more positions";
  KvCacheType cache = cacheOf(function);
  if (!cache)
    return success();
  for (auto other :
       function->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    if (KvCacheType theirs = cacheOf(other); theirs && theirs != cache)
      return op->emitOpError("KV cache: got ")
             << cache << ", expected " << theirs << " as in '"
             << other.getName() << "'";
  return success();
}
