#include "ir/InterpreterMemory.h"

#include "ir/ElementTypes.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tandem;

static constexpr double unwritten = std::numeric_limits<double>::quiet_NaN();

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1},
                         std::multiplies<int64_t>());
}

Array::Array(ArrayRef<int64_t> shape, std::vector<double> elements)
    : shape(shape), elements(std::move(elements)) {}

Array Array::zeros(ArrayRef<int64_t> shape) {
  return Array(shape, std::vector<double>(product(shape)));
}

int64_t Array::numElements() const { return product(shape); }

/// Bytes of an element. A packed weight's has one, since nothing else lies in
/// its memory.
static int64_t elementSizeInBytes(Type type) {
  std::optional<ElementType> element = elementTypeOf(type);
  return element ? std::max<int64_t>(1, sizeInBytes(*element)) : 1;
}

/// Elements from one row to the next.
static int64_t rowStride(ArrayRef<int64_t> shape, Type type) {
  return plainRowStride(shape.back(),
                        elementTypeOf(type).value_or(ElementType::F32));
}

View::View(std::shared_ptr<std::vector<double>> memory, int64_t offset,
           ArrayRef<int64_t> shape, Type type)
    : memory(std::move(memory)), base(offset), offset(offset),
      elementBytes(elementSizeInBytes(type)), shape(shape),
      strides(shape.size(), elementBytes) {
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = i + 1 == shape.size()
                         ? rowStride(shape, type) * elementBytes
                         : strides[i] * shape[i];
}

/// Bytes of a plain array.
static int64_t spanInBytes(ArrayRef<int64_t> shape, Type type) {
  if (shape.empty())
    return elementSizeInBytes(type);
  return product(shape.drop_back()) * rowStride(shape, type) *
         elementSizeInBytes(type);
}

View::View(ArrayRef<int64_t> shape, Type type)
    : View(std::make_shared<std::vector<double>>(spanInBytes(shape, type),
                                                 unwritten),
           0, shape, type) {}

View::View(const Array &array, Type type) : View(array.shape, type) {
  write(array);
}

std::vector<int64_t> View::places() const {
  std::vector<int64_t> places(product(shape), offset);
  for (auto [i, place] : llvm::enumerate(places)) {
    int64_t rest = i;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      place += rest % shape[dim] * strides[dim];
  }
  return places;
}

bool View::sharesAll(const View &other) const {
  return memory == other.memory && elementBytes == other.elementBytes &&
         places() == other.places();
}

Array View::read() const {
  Array array = Array::zeros(shape);
  for (auto [element, place] : llvm::zip_equal(array.elements, places()))
    element = (*memory)[place];
  return array;
}

void View::write(const Array &array) const {
  for (auto [element, place] : llvm::zip_equal(array.elements, places())) {
    (*memory)[place] = element;
    std::fill_n(memory->begin() + place + 1, elementBytes - 1, unwritten);
  }
}

void View::poison() const {
  for (int64_t place : places())
    std::fill_n(memory->begin() + place, elementBytes, unwritten);
}

SmallVector<int64_t> tandem::closedShape(MemRefType type,
                                         ArrayRef<int64_t> dynamicSizes) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &dim : shape)
    if (ShapedType::isDynamic(dim)) {
      dim = dynamicSizes.front();
      dynamicSizes = dynamicSizes.drop_front();
    }
  return shape;
}

FailureOr<View> tandem::viewOf(memref::ViewOp op, const View &source,
                               int64_t shift, ArrayRef<int64_t> dynamicSizes) {
  SmallVector<int64_t> shape = closedShape(op.getType(), dynamicSizes);
  int64_t bytes = arraySizeInBytes(op.getType().clone(shape));
  int64_t unit = elementSizeInBytes(op.getType().getElementType());
  if (shift < 0 || shift % unit != 0 || shift + bytes > source.shape[0])
    return op.emitOpError("byte shift: got ")
           << shift << ", expected a multiple of " << unit
           << " that leaves room for " << op.getType() << " in "
           << op.getSource().getType();
  return View(source.memory, source.offset + shift, shape,
              op.getType().getElementType());
}

FailureOr<View> tandem::aliasOf(Operation *op, const View &source) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  View view = source;
  int64_t offset = 0;
  view.strides.clear();
  if (failed(getStridesAndOffset(type, view.strides, offset)) ||
      !type.hasStaticShape() || ShapedType::isDynamic(offset) ||
      llvm::any_of(view.strides, ShapedType::isDynamic))
    return op->emitOpError("result: got ")
           << type << ", expected a static shape and layout";
  for (int64_t &stride : view.strides)
    stride *= view.elementBytes;
  view.offset = view.base + offset * view.elementBytes;
  view.shape.assign(type.getShape().begin(), type.getShape().end());
  return view;
}
