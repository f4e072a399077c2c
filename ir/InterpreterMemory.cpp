#include "ir/InterpreterMemory.h"

#include "ir/Buffers.h"

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

View::View(std::shared_ptr<std::vector<double>> memory, int64_t offset,
           ArrayRef<int64_t> shape)
    : memory(std::move(memory)), base(offset), offset(offset), shape(shape),
      strides(shape.size(), 1) {
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
}

View::View(Array array)
    : View(std::make_shared<std::vector<double>>(std::move(array.elements)), 0,
           array.shape) {}

View::View(ArrayRef<int64_t> shape) : View(Array::zeros(shape)) { poison(); }

std::vector<int64_t> View::slots() const {
  std::vector<int64_t> slots(product(shape), offset);
  for (auto [i, slot] : llvm::enumerate(slots)) {
    int64_t rest = i;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      slot += rest % shape[dim] * strides[dim];
  }
  return slots;
}

bool View::sharesAll(const View &other) const {
  return memory == other.memory && slots() == other.slots();
}

Array View::read() const {
  Array array = Array::zeros(shape);
  for (auto [element, slot] : llvm::zip_equal(array.elements, slots()))
    element = (*memory)[slot];
  return array;
}

void View::write(const Array &array) const {
  for (auto [element, slot] : llvm::zip_equal(array.elements, slots()))
    (*memory)[slot] = element;
}

void View::poison() const {
  for (int64_t slot : slots())
    (*memory)[slot] = unwritten;
}

SmallVector<int64_t> tandem::shapeInSlots(MemRefType type,
                                          ArrayRef<int64_t> dynamicSizes) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &dim : shape)
    if (ShapedType::isDynamic(dim)) {
      dim = dynamicSizes.front();
      dynamicSizes = dynamicSizes.drop_front();
    }
  if (isByteBuffer(type))
    shape.back() = (shape.back() + 3) / 4;
  return shape;
}

FailureOr<View> tandem::viewOf(memref::ViewOp op, const View &source,
                               int64_t shift, ArrayRef<int64_t> dynamicSizes) {
  SmallVector<int64_t> shape = shapeInSlots(op.getType(), dynamicSizes);
  if (shift < 0 || shift % 4 != 0 ||
      shift / 4 + product(shape) > source.shape[0])
    return op.emitOpError("byte shift: got ")
           << shift << ", expected a multiple of 4 that leaves room for "
           << op.getType() << " in " << op.getSource().getType();
  return View(source.memory, source.offset + shift / 4, shape);
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
  view.offset = view.base + offset;
  view.shape.assign(type.getShape().begin(), type.getShape().end());
  return view;
}
