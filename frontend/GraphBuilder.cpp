#include "frontend/GraphBuilder.h"

using namespace mlir;
using namespace tandem;

/// "tandem.name" of an argument or result: what the runtime knows it by.
static constexpr StringLiteral signatureAttrName = "tandem.name";

GraphBuilder::GraphBuilder(MLIRContext &context, int64_t positions)
    : builder(UnknownLoc::get(&context), &context) {
  context.loadDialect<TandemDialect, func::FuncDialect>();
  module = ModuleOp::create(builder.getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto rows = RankedTensorType::get(ShapedType::kDynamic, builder.getI32Type());
  forward = builder.create<func::FuncOp>(
      "forward", builder.getFunctionType({rows, rows}, {}));
  forward->setAttr(programAttrName,
                   ProgramAttr::get(&context, Phase::Model, positions));
  forward.addEntryBlock();
  forward.setArgAttr(0, signatureAttrName, builder.getStringAttr("tokens"));
  forward.setArgAttr(1, signatureAttrName, builder.getStringAttr("positions"));
  builder.setInsertionPointToEnd(&forward.front());
}

void GraphBuilder::locate(const Twine &name) {
  builder.setLoc(NameLoc::get(builder.getStringAttr(name)));
}

Value GraphBuilder::weight(const Twine &name, ArrayRef<int64_t> shape) {
  auto symbol = builder.getStringAttr(name);
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  if (!module->lookupSymbol(symbol)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(forward);
    builder.create<ParameterOp>(symbol.getValue(), type);
  }
  return builder.create<WeightOp>(type, FlatSymbolRefAttr::get(symbol));
}

OwningOpRef<ModuleOp> GraphBuilder::finish(Value logits) {
  builder.create<func::ReturnOp>(logits);
  forward.setFunctionType(
      builder.getFunctionType(forward.getArgumentTypes(), logits.getType()));
  forward.setResultAttr(0, signatureAttrName, builder.getStringAttr("logits"));
  return std::move(module);
}
