#include "backend/lowering/PlainValue.h"

#include "ir/ElementTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tandem;

std::vector<int64_t> tandem::plainShape(Type type) {
  std::vector<int64_t> shape;
  for (int64_t dim : cast<ShapedType>(type).getShape())
    shape.push_back(ShapedType::isDynamic(dim) ? dynamicDim : dim);
  return shape;
}

tandem::Value tandem::plainValue(Type type, Segment segment) {
  tandem::Value value;
  // Scratch counts bytes, whatever its type.
  value.type = elementTypeOf(cast<ShapedType>(type).getElementType())
                   .value_or(ElementType::F32);
  value.shape = plainShape(type);
  value.segment = segment;
  value.rowStride =
      value.shape.empty() ? 1 : plainRowStride(value.shape.back(), value.type);
  return value;
}

tandem::Value tandem::plainCache(KvCacheType type) {
  tandem::Value value;
  value.shape = {dynamicDim,      type.getLayers(), 2,
                 type.getHeads(), type.getBlock(),  type.getHeadSize()};
  value.segment = Segment::Persistent;
  value.rowStride = type.getHeadSize();
  return value;
}

/// An attribute as plain data, or nothing for one that steers no kernel.
static std::optional<tandem::Attribute>
plainAttribute(mlir::Attribute attribute) {
  return TypeSwitch<mlir::Attribute, std::optional<tandem::Attribute>>(
             attribute)
      .Case([](IntegerAttr a) { return tandem::Attribute(a.getInt()); })
      .Case([](FloatAttr a) { return tandem::Attribute(a.getValueAsDouble()); })
      .Case([](UnitAttr) { return tandem::Attribute(int64_t(1)); })
      .Case([](ActivationKindAttr a) {
        return tandem::Attribute(stringifyActivationKind(a.getValue()).str());
      })
      .Case([](KvPartAttr a) {
        return tandem::Attribute(static_cast<int64_t>(a.getValue()));
      })
      .Case([](DenseI64ArrayAttr a) {
        return tandem::Attribute(a.asArrayRef().vec());
      })
      .Default([](mlir::Attribute) { return std::nullopt; });
}

Attributes tandem::plainAttributes(Operation &op) {
  Attributes attributes;
  for (NamedAttribute named : op.getAttrDictionary())
    if (auto plain = plainAttribute(named.getValue()))
      attributes[named.getName().str()] = *plain;
  if (auto linear = dyn_cast<LinearOp>(op)) {
    attributes["has_bias"] = int64_t(linear.getBias() != nullptr);
    attributes["has_residual"] = int64_t(linear.getResidual() != nullptr);
    attributes.try_emplace("activation", std::string("none"));
  }
  if (isa<LinearOp, MatmulOp>(op))
    attributes.try_emplace("transpose_rhs", int64_t(0));
  return attributes;
}
