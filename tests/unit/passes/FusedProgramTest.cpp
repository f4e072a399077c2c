// What programs consist of once they are fused, whoever wrote the graph.

#include "HandWrittenGraphs.h"
#include "TestModels.h"
#include "ir/Tandem.h"
#include "passes/Pipeline.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

using Names = std::vector<std::string>;

/// An op's name, and what a linear has taken in.
std::string describe(Operation &op) {
  std::string name = op.getName().stripDialect().str();
  auto linear = dyn_cast<LinearOp>(op);
  if (!linear)
    return name;
  if (linear.getBias())
    name += " bias";
  if (auto activation = linear.getActivation())
    (name += ' ') += stringifyActivationKind(*activation);
  if (linear.getResidual())
    name += " residual";
  return name;
}

class FusedProgram : public testing::Test {
protected:
  /// The ops of a program, weights and return left out.
  Names fuse(OwningOpRef<ModuleOp> model, StringRef program) {
    module = std::move(model);
    PipelineOptions options;
    options.stage = Stage::Fused;
    options.rows.prefill = {16};
    options.rows.decode = {1};
    options.rows.head = {1};
    options.rows.forward = {7};
    auto done = runPipeline(*module, options);
    EXPECT_TRUE(done.has_value()) << done.error().message;
    Names names;
    for (Operation &op : module->lookupSymbol<func::FuncOp>(program)
                             .front()
                             .without_terminator())
      if (!isa<WeightOp>(op))
        names.push_back(describe(op));
    return names;
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    loadTestDialects(context);
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

const Names decodedLayer = {"layer_norm",
                            "linear bias",
                            "slice",
                            "slice",
                            "slice",
                            "kv_append",
                            "cached_attention",
                            "linear residual",
                            "layer_norm",
                            "linear bias relu",
                            "linear residual"};

TEST_F(FusedProgram, OfSeparateProjections) {
  Names expected = {"add_embedding"};
  llvm::append_range(expected, decodedLayer);
  llvm::append_range(expected, decodedLayer);
  llvm::append_range(expected, Names{"layer_norm", "linear"});
  EXPECT_EQ(fuse(parse(separateProjections()), "decode_1"), expected);
  auto merged = module->lookupSymbol<ParameterOp>("layer1.query_key_value.w");
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged.getPartRefs().size(), 3u);
}

/// Without the biases, which GPT-2 has everywhere.
Names withoutBias(Names names) {
  for (std::string &name : names)
    if (auto at = name.find(" bias"); at != std::string::npos)
      name.erase(at, 5);
  return names;
}

TEST_F(FusedProgram, OfSeparateProjectionsIsThatOfGpt2) {
  std::vector<TestModel> models = testModels();
  auto gpt2 = llvm::find_if(models, [](const TestModel &model) {
    return model.name == "four_heads_relu_untied";
  });
  for (StringRef program : {"prefill_16", "decode_1", "forward_7"})
    EXPECT_EQ(withoutBias(fuse(parse(separateProjections()), program)),
              withoutBias(fuse(gpt2->build(context), program)));
}

// The queries' scale and the scores' are one; the scaled branches are summed
// where the norm is, since a linear adds no scaled residual.
TEST_F(FusedProgram, OfColumnsFirst) {
  EXPECT_EQ(fuse(parse(columnsFirst()), "decode_1"),
            (Names{"add_embedding", "layer_norm", "linear", "slice", "slice",
                   "slice", "kv_append", "cached_attention", "linear", "scale",
                   "add_layer_norm", "linear relu", "linear", "scale",
                   "add_layer_norm", "linear"}));
  module->walk([](CachedAttentionOp op) {
    EXPECT_DOUBLE_EQ(op.getScale().convertToDouble(), 0.4 * 3.0);
  });
  EXPECT_EQ(fuse(parse(columnsFirst()), "forward_7"),
            (Names{"add_embedding", "layer_norm", "linear", "slice", "slice",
                   "slice", "attention", "linear", "scale", "add_layer_norm",
                   "linear relu", "linear", "scale", "add_layer_norm"}));
}

} // namespace
