#include "Mutations.h"

#include "HandWrittenGraphs.h"
#include "passes/Passes.h"
#include "passes/SequenceAnalysis.h"
#include "passes/proof/OpNames.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

/// The op of this kind and name in one program.
template <typename Op>
Op find(ModuleOp module, StringRef program, StringRef name) {
  Op found;
  module.lookupSymbol<func::FuncOp>(program).walk([&](Op op) {
    if (nameIn(op->getLoc()) == name)
      found = op;
  });
  EXPECT_TRUE(found) << program.str() << " has no " << name.str();
  return found;
}

template <typename Op>
void forEach(ModuleOp module, StringRef program,
             llvm::function_ref<void(Op)> change) {
  module.lookupSymbol<func::FuncOp>(program).walk(change);
}

/// Rows learn their token's place by the token's number.
void lookUpTheWrongPlace(ModuleOp module) {
  auto places = find<EmbeddingOp>(module, "prefill_3", "wpe (embedding)");
  places.getIdsMutable().set(
      findArgument(places->getParentOfType<func::FuncOp>(), "tokens"));
}

void readAnotherLayersKeys(ModuleOp module) {
  forEach<KvReadOp>(module, "decode_1", [](KvReadOp op) {
    if (op.getLayer() == 1 && op.getPart() == KvPart::Key)
      op.setLayer(0);
  });
}

void takeAnotherLayersBias(ModuleOp module) {
  forEach<WeightOp>(module, "forward_6", [](WeightOp op) {
    if (op.getParameter() == "h.0.mlp.c_fc.bias")
      op.setParameter("h.1.mlp.c_fc.bias");
  });
}

void takeTwoWeightsForOne(ModuleOp module) {
  auto norm = find<LayerNormOp>(module, "decode_1", "h.0.ln_2 (layer_norm)");
  norm.getScaleMutable().set(norm.getBias());
}

void dropTheScale(ModuleOp module) {
  find<CachedAttentionOp>(module, "prefill_3", "h.0.attn (matmul 2)")
      .setScale(APFloat(1.0));
}

void dropTheActivation(ModuleOp module) {
  find<LinearOp>(module, "prefill_3", "h.0.mlp.act (activation)")
      .removeActivationAttr();
}

void exchangeQueriesAndKeys(ModuleOp module) {
  auto weight = module.lookupSymbol<ParameterOp>("layer0.query_key_value.w");
  ASSERT_TRUE(weight);
  SmallVector<Attribute> parts(weight.getPartsAttr().getValue());
  std::swap(parts[0], parts[1]);
  weight.setPartsAttr(ArrayAttr::get(module.getContext(), parts));
}

void addTheWrongPlace(ModuleOp module) {
  auto sum = find<AddEmbeddingOp>(module, "prefill_3", "wpe (add)");
  sum.getRhsIdsMutable().set(sum.getLhsIds());
}

void changeEpsilon(ModuleOp module) {
  find<AddLayerNormOp>(module, "decode_1", "h.0.ln_1 (layer_norm)")
      .setEpsilon(APFloat(0.5));
}

/// As many positions as the prompt has: too few for the second step.
void boundReadsTooLow(ModuleOp module) {
  forEach<KvReadOp>(module, "decode_1",
                    [](KvReadOp op) { op.setNumPositions(5); });
  PassManager manager(module.getContext());
  manager.addNestedPass<func::FuncOp>(createBoundCacheReads());
  EXPECT_TRUE(succeeded(manager.run(module)));
}

/// Panels that an embedding cannot look into.
void packWhatNoLinearReads(ModuleOp module) {
  module.lookupSymbol<ParameterOp>("wpe.weight")
      .setLayout(WeightLayout::ColumnPanels);
}

void runBeforeItsOperand(ModuleOp module) {
  auto linear = find<LinearOp>(module, "decode_1", "h.0.mlp.act (activation)");
  linear->moveBefore(linear.getX().getDefiningOp());
}

void viewTheKeysAsValues(ModuleOp module) {
  forEach<KvAppendOp>(module, "decode_1", [](KvAppendOp op) {
    if (op.getLayer() == 0)
      op.getValuesMutable().set(op.getKeys());
  });
}

/// The hidden layer is written over the residual that is still to be added.
void placeOverTheResidual(ModuleOp module) {
  auto last = find<LinearOp>(module, "prefill_3", "h.0.mlp.c_proj (add 2)");
  auto residual = last.getResidual().getDefiningOp<memref::ViewOp>();
  auto hidden = last.getX().getDefiningOp<memref::ViewOp>();
  ASSERT_TRUE(residual && hidden);
  hidden.getByteShiftMutable().set(residual.getByteShift());
}

/// Narrows to bf16 what was to stay f32.
void narrowAll(ModuleOp module) {
  ChoosePrecisionOptions options;
  options.precision = "bf16";
  PassManager manager(module->getContext());
  manager.addPass(createChoosePrecision(options));
  ASSERT_TRUE(succeeded(manager.run(module)));
}

} // namespace

std::vector<Mutation> tandem::mutations() {
  return {
      {"specialize-phases", "wpe (embedding)", lookUpTheWrongPlace},
      {"insert-kv-cache", "h.1.attn (matmul 2)", readAnotherLayersKeys},
      {"canonicalize", "h.0.mlp.c_fc (add)", takeAnotherLayersBias},
      {"cse", "h.0.ln_2 (layer_norm)", takeTwoWeightsForOne},
      {"fuse-attention", "h.0.attn (matmul 2)", dropTheScale},
      {"fuse-linear", "h.0.mlp.act (activation)", dropTheActivation},
      {"merge-projections",
       "add 2", // of the first layer's queries and their bias
       exchangeQueriesAndKeys,
       {},
       separateProjections()},
      {"fuse-embedding", "wpe (add)", addTheWrongPlace},
      {"fuse-add-layer-norm",
       "h.0.ln_1 (layer_norm)",
       changeEpsilon,
       {"fuse-embedding"}},
      {"choose-precision", "wpe (add)", narrowAll},
      {"bound-cache-reads",
       "h.0.attn (matmul 2)",
       boundReadsTooLow,
       {"fuse-attention"}},
      {"assign-layouts", "wpe (add)", packWhatNoLinearReads},
      {"schedule", "h.0.mlp.act (activation)", runBeforeItsOperand},
      {"bufferize", "h.0.attn (matmul 2)", viewTheKeysAsValues},
      {"plan-memory", "h.0.mlp.c_proj (add 2)", placeOverTheResidual},
  };
}
