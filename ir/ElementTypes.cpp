#include "ir/ElementTypes.h"

#include "ir/Parameters.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tandem;

std::optional<ElementType> tandem::elementTypeOf(Type type) {
  return TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float32Type) { return ElementType::F32; })
      .Case([](Float16Type) { return ElementType::F16; })
      .Case([](BFloat16Type) { return ElementType::BF16; })
      .Case([](QInt8Type) { return ElementType::QInt8; })
      .Case([](QInt4Type) { return ElementType::QInt4; })
      .Default([](Type type) {
        return type.isInteger(32) ? std::optional(ElementType::I32)
                                  : std::nullopt;
      });
}

Type tandem::elementTypeIn(MLIRContext *context, ElementType type) {
  switch (type) {
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::I32:
    return IntegerType::get(context, 32);
  case ElementType::QInt8:
    return QInt8Type::get(context);
  case ElementType::QInt4:
    return QInt4Type::get(context);
  }
  llvm_unreachable("every element type has a counterpart");
}

int64_t tandem::arraySizeInBytes(ShapedType type) {
  std::optional<ElementType> element = elementTypeOf(type.getElementType());
  if (!element) // an arena, or scratch
    return type.getNumElements();
  return storedSizeInBytes(type.getShape().vec(), *element, Layout::Plain);
}

int64_t tandem::packedSizeInBytes(ParameterOp parameter) {
  auto type = cast<ShapedType>(parameter.getType());
  return storedSizeInBytes(type.getShape().vec(),
                           *elementTypeOf(type.getElementType()),
                           layoutOf(parameter));
}
