#include "ir/Work.h"
#include "ir/Buffers.h"
#include "ir/ElementTypes.h"
#include "ir/OpName.h"
#include "support/OpCost.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <numeric>

using namespace mlir;
using namespace tandem;

llvm::StringRef tandem::name(Storage storage) {
  constexpr llvm::StringLiteral names[] = {"constant", "persistent",
                                           "transient", "external"};
  return names[static_cast<size_t>(storage)];
}

static Storage storageOf(StorageClass storage) {
  switch (storage) {
  case StorageClass::Constant:
    return Storage::Constant;
  case StorageClass::Transient:
    return Storage::Transient;
  case StorageClass::External:
    return Storage::External;
  }
  llvm_unreachable("every storage class has a counterpart");
}

Storage tandem::storageOf(Value value) {
  if (isa<KvCacheType>(value.getType()))
    return Storage::Persistent;
  if (auto buffer = dyn_cast<MemRefType>(value.getType())) {
    auto space = dyn_cast_or_null<StorageClassAttr>(buffer.getMemorySpace());
    return space ? ::storageOf(space.getValue()) : Storage::Transient;
  }
  if (value.getDefiningOp<WeightOp>())
    return Storage::Constant;
  bool isResult = llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<func::ReturnOp>(user);
  });
  return isResult || isa<BlockArgument>(value) ? Storage::External
                                               : Storage::Transient;
}

/// What an open dimension of `value` is at most: the positions of the program
/// that it is in.
static std::optional<int64_t> boundOf(Value value) {
  auto function =
      dyn_cast_or_null<func::FuncOp>(value.getParentBlock()->getParentOp());
  ProgramAttr program = function ? getProgram(function) : nullptr;
  return program ? std::optional(program.getPositions()) : std::nullopt;
}

/// The shape of a tensor or memref, its open dimensions at their bound.
static std::optional<ArrayShape> closedShape(Value value) {
  auto type = cast<ShapedType>(value.getType());
  ArrayShape shape;
  if (auto element = elementTypeOf(type.getElementType()))
    shape.elementBits = bitsOf(*element);
  else
    shape.elementBits = 8; // scratch
  for (int64_t dim : type.getShape()) {
    std::optional<int64_t> size =
        ShapedType::isDynamic(dim) ? boundOf(value) : std::optional(dim);
    if (!size)
      return std::nullopt;
    shape.dims.push_back(*size);
  }
  return shape;
}

std::optional<int64_t> tandem::sizeInBytes(Value value) {
  auto type = cast<ShapedType>(value.getType());
  if (type.hasStaticShape() && !value.getDefiningOp<WeightOp>())
    return arraySizeInBytes(type);
  std::optional<ArrayShape> shape = closedShape(value);
  if (!shape)
    return std::nullopt;
  int64_t elements = std::accumulate(shape->dims.begin(), shape->dims.end(),
                                     int64_t{1}, std::multiplies<>());
  return llvm::divideCeil(elements * shape->elementBits, 8);
}

Work &Work::operator+=(const Work &other) {
  for (size_t i = 0; i < read.size(); ++i) {
    read[i] += other.read[i];
    written[i] += other.written[i];
  }
  flop += other.flop;
  isBound |= other.isBound;
  return *this;
}

bool tandem::doesWork(Operation *op) {
  return isa<ComputeOpInterface, KvAppendOp, memref::CopyOp>(op);
}

namespace {

/// The arrays that an op reads and writes, without the cache and scratch.
struct Arrays {
  SmallVector<Value> inputs, outputs;
};

Arrays arraysOf(Operation *op) {
  Arrays arrays;
  ValueRange destinations;
  if (auto compute = dyn_cast<ComputeOpInterface>(op))
    destinations = compute.getDestinations();
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    destinations = op->getOperands().take_back();
  auto isArray = [](Value value) {
    return isa<ShapedType>(value.getType()) && !isByteBuffer(value.getType());
  };
  llvm::copy_if(op->getOperands().drop_back(destinations.size()),
                std::back_inserter(arrays.inputs), isArray);
  llvm::copy_if(destinations, std::back_inserter(arrays.outputs), isArray);
  llvm::copy_if(op->getResults(), std::back_inserter(arrays.outputs), isArray);
  return arrays;
}

std::optional<Activation> activationOf(Operation *op) {
  for (StringRef attribute : {"kind", "activation"})
    if (auto kind = op->getAttrOfType<ActivationKindAttr>(attribute))
      return parseActivation(stringifyActivationKind(kind.getValue()));
  return std::nullopt;
}

/// The cache that an op reads or writes, if it does: an operand.
KvCacheType cacheOf(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (auto cache = dyn_cast<KvCacheType>(type))
      return cache;
  return nullptr;
}

std::optional<OpShape> shapeOf(Operation *op, const Arrays &arrays) {
  // A copy is a reshape that leaves the shape as it is.
  OpShape shape = {.op = isa<memref::CopyOp>(op) ? StringRef("reshape")
                                                 : shortName(op),
                   .inputs = {},
                   .outputs = {},
                   .activation = activationOf(op),
                   .cache = {}};
  for (auto [values, shapes] : {std::pair(&arrays.inputs, &shape.inputs),
                                std::pair(&arrays.outputs, &shape.outputs)})
    for (Value value : *values) {
      std::optional<ArrayShape> closed = closedShape(value);
      if (!closed)
        return std::nullopt;
      shapes->push_back(*closed);
    }
  if (KvCacheType cache = cacheOf(op)) {
    shape.heads = cache.getHeads();
    shape.cache.positions = cache.getPositions();
    shape.cache.elementBits = bitsOf(*elementTypeOf(cache.getElementType()));
  }
  if (auto attention = dyn_cast<CachedAttentionOp>(op))
    shape.cache.sequences =
        cast<ShapedType>(attention.getBlockTables().getType()).getDimSize(0);
  if (auto attention = dyn_cast<AttentionOp>(op))
    shape.heads = attention.getHeads();
  return shape;
}

bool dependsOnLength(Operation *op, const Arrays &arrays) {
  auto isOpen = [](Value value) {
    return !cast<ShapedType>(value.getType()).hasStaticShape();
  };
  return isa<CachedAttentionOp, KvReadOp>(op) ||
         llvm::any_of(arrays.inputs, isOpen) ||
         llvm::any_of(arrays.outputs, isOpen);
}

} // namespace

std::optional<Work> tandem::workOf(Operation *op) {
  Arrays arrays = arraysOf(op);
  std::optional<OpShape> shape = shapeOf(op, arrays);
  std::optional<OpCost> cost = shape ? opCost(*shape) : std::nullopt;
  if (!cost)
    return std::nullopt;
  Work work;
  auto at = [](Value value) { return static_cast<size_t>(storageOf(value)); };
  for (auto [input, bytes] : llvm::zip_equal(arrays.inputs, cost->inputBytes))
    work.read[at(input)] += bytes;
  for (auto [output, bytes] :
       llvm::zip_equal(arrays.outputs, cost->outputBytes))
    work.written[at(output)] += bytes;
  constexpr auto cache = static_cast<size_t>(Storage::Persistent);
  work.read[cache] += cost->cacheBytesRead;
  work.written[cache] += cost->cacheBytesWritten;
  work.flop = cost->flop();
  work.isBound = dependsOnLength(op, arrays);
  return work;
}
