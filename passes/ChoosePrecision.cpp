#include "ir/ElementTypes.h"
#include "passes/AgreedLayout.h"
#include "passes/Passes.h"
#include "support/Precision.h"

namespace tandem {
#define GEN_PASS_DEF_CHOOSEPRECISION
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

bool isWeight(Value value) {
  return isa_and_nonnull<WeightOp>(value.getDefiningOp());
}

/// A product of rows and a weight becomes a linear, the op that has narrow
/// kernels, where fusion left it alone. Returns how many did.
int64_t formLinears(ModuleOp module) {
  SmallVector<MatmulOp> products;
  module.walk([&](MatmulOp op) {
    if (op->getNumResults() == 1 && isWeight(op.getRhs()) &&
        cast<ShapedType>(op.getLhs().getType()).getRank() == 2)
      products.push_back(op);
  });
  for (MatmulOp op : products) {
    OpBuilder builder(op);
    auto linear = builder.create<LinearOp>(
        op.getLoc(), op->getResultTypes(), op.getLhs(), op.getRhs(), Value(),
        Value(), Value(), ValueRange(), nullptr, op.getTransposeRhsAttr());
    op->replaceAllUsesWith(linear);
    op->erase();
  }
  return products.size();
}

/// Narrow weights lie in panels: all readers must agree on them.
void narrowParameter(ParameterOp parameter, WeightLayout layout, Type type) {
  auto tensor = cast<RankedTensorType>(parameter.getType());
  parameter.setTypeAttr(TypeAttr::get(tensor.clone(type)));
  parameter.setLayout(layout);
}

/// Makes what linears multiply as narrow as their weights.
class ActivationCasts {
public:
  explicit ActivationCasts(Type to) : to(to) {}

  void cast(LinearOp linear) {
    Value x = linear.getX();
    Value &narrow = casts[x];
    if (!narrow) {
      OpBuilder builder(linear);
      builder.setInsertionPointAfterValue(x);
      narrow = tandem::create<CastOp>(builder, linear.getLoc(), x, ValueRange(),
                                      TypeAttr::get(to));
    }
    linear.getXMutable().assign(narrow);
  }

  int64_t number() const { return static_cast<int64_t>(casts.size()); }

private:
  Type to;
  llvm::DenseMap<Value, Value> casts; // one a value, however many readers
};

struct ChoosePrecision : tandem::impl::ChoosePrecisionBase<ChoosePrecision> {
  using ChoosePrecisionBase::ChoosePrecisionBase;

  void runOnOperation() override {
    std::optional<Precision> chosen = parsePrecision(precision);
    if (!chosen) {
      getOperation().emitError("choose-precision: precision: got '")
          << precision << "', expected f32, bf16, int8 or int4";
      return signalPassFailure();
    }
    if (*chosen == Precision::F32)
      return count({{"parameters narrowed", 0}});
    narrowTo(*chosen);
  }

  void narrowTo(Precision chosen) {
    int64_t linears = formLinears(getOperation()), narrowed = 0, wide = 0;
    Type weights = elementTypeIn(&getContext(), weightType(chosen));
    ActivationCasts casts(elementTypeIn(&getContext(), activationType(chosen)));
    llvm::StringMap<SmallVector<OpOperand *>> readers =
        weightReaders(getOperation());
    for (auto parameter : getOperation().getOps<ParameterOp>()) {
      ArrayRef<OpOperand *> uses = readers[parameter.getSymName()];
      WeightLayout layout = agreedLayout(uses);
      if (layout == WeightLayout::Plain) {
        wide += !uses.empty();
        continue;
      }
      narrowParameter(parameter, layout, weights);
      ++narrowed;
      for (OpOperand *use : uses) {
        auto type = llvm::cast<RankedTensorType>(use->get().getType());
        use->get().setType(type.clone(weights));
        if (auto linear = dyn_cast<LinearOp>(use->getOwner()))
          casts.cast(linear);
      }
    }
    count({{"parameters narrowed", narrowed},
           {"left wide", wide},
           {"linears formed", linears},
           {"casts", casts.number()}});
  }
};

} // namespace
