#include "passes/proof/Bisection.h"

#include "FixedConversation.h"
#include "Mutations.h"
#include "TestModels.h"
#include "TestPipeline.h"
#include "frontend/Gpt2Graph.h"

#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

/// Two layers, two heads of 3; hidden layers narrower than the stream.
ModelConfig smallConfig() {
  ModelConfig config;
  config.vocabSize = testVocabulary;
  config.positions = testPositions;
  config.layers = 2;
  config.heads = 2;
  config.embed = 6;
  config.inner = 4;
  return config;
}

class BisectionTest : public testing::Test {
protected:
  void SetUp() override {
    module = buildGpt2Forward(context, smallConfig());
    weights.emplace(*module);
  }

  void load(const std::string &graph) {
    loadTestDialects(context);
    module = parseSourceString<ModuleOp>(graph, &context);
    ASSERT_TRUE(module);
    weights.emplace(*module);
  }

  WeightFinder finder() {
    return [this](StringRef name) { return weights->find(name); };
  }

  PipelineOptions options(std::vector<std::string> disabled = {}) {
    PipelineOptions options = allPrograms();
    options.disabledPasses = std::move(disabled);
    return options;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::optional<RandomWeights> weights;
};

TEST_F(BisectionTest, FindsNoFaultInThePipeline) {
  std::vector<std::string> seen;
  auto fault = bisect(*module, options(), finder(),
                      [&](const Bisection::PassCheck &check) {
                        seen.push_back(check.pass);
                        ASSERT_TRUE(check.worst) << check.pass;
                        EXPECT_FALSE(check.worst->isOver()) << check.pass;
                      });
  ASSERT_TRUE(fault.has_value()) << fault.error().message;
  EXPECT_FALSE(*fault) << (*fault)->pass << ": " << (*fault)->message;
  EXPECT_EQ(seen.back(), "plan-memory");
}

TEST_F(BisectionTest, EveryPassHasAMutation) {
  std::vector<std::string> mutated;
  for (const Mutation &mutation : mutations())
    mutated.push_back(mutation.pass);
  EXPECT_EQ(mutated, passNames());
}

class EveryMutation : public BisectionTest,
                      public testing::WithParamInterface<Mutation> {};

TEST_P(EveryMutation, IsFoundByPassAndOp) {
  const Mutation &mutation = GetParam();
  if (!mutation.graph.empty())
    load(mutation.graph);
  auto bisection = Bisection::create(*module, finder());
  ASSERT_TRUE(bisection.has_value()) << bisection.error().message;
  PipelineOptions pipeline = options(mutation.disabled);
  pipeline.rows = bisection->rows();
  std::optional<Fault> fault;
  auto ran = runPassByPass(*module, pipeline, [&](StringRef pass) {
    if (pass == mutation.pass)
      mutation.corrupt(*module);
    fault = bisection->check(*module, pass).fault;
    return !fault;
  });
  ASSERT_TRUE(ran.has_value()) << ran.error().message;
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->pass, mutation.pass) << fault->message;
  EXPECT_EQ(fault->op, mutation.op) << fault->message;
}

INSTANTIATE_TEST_SUITE_P(, EveryMutation, testing::ValuesIn(mutations()),
                         [](const auto &info) {
                           std::string name = info.param.pass;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_F(BisectionTest, WorksOnGraphsOfOtherNamesAndKinds) {
  for (const TestModel &model : testModels()) {
    OwningOpRef<ModuleOp> graph = model.build(context);
    RandomWeights own(*graph);
    auto fault = bisect(
        *graph, options(), [&](StringRef name) { return own.find(name); },
        [](const Bisection::PassCheck &) {});
    ASSERT_TRUE(fault.has_value()) << fault.error().message;
    EXPECT_FALSE(*fault) << model.name << ": " << (*fault)->pass << ": "
                         << (*fault)->op << ": " << (*fault)->message;
  }
}

TEST_F(BisectionTest, EveryOpHasANameOfItsOwn) {
  auto graph = nameOps(*module, 6);
  ASSERT_TRUE(succeeded(graph));
  EXPECT_EQ(graph->logits, "lm_head (matmul)");
  EXPECT_EQ(graph->hidden, "ln_f (layer_norm)");
  EXPECT_EQ(graph->vocabSize, testVocabulary);
  std::vector<std::string> names;
  for (const TracedOp &op : graph->ops)
    names.push_back(op.name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  // wpe: the sum of both embeddings, one rounding. ln_1: two sums of 6 more.
  EXPECT_EQ(graph->find("wpe (embedding)")->roundings, 0);
  EXPECT_EQ(graph->find("wpe (add)")->roundings, 1);
  EXPECT_EQ(graph->find("h.0.ln_1 (layer_norm)")->roundings, 13);
  EXPECT_EQ(graph->find("h.0.attn.c_attn (add)")->roundings, 13 + 6 + 1);
  // Scores of heads of 3, scaled; softmax of 6; 6 values: 20 + 4 + 22 + 6.
  EXPECT_EQ(graph->find("h.0.attn (matmul 2)")->roundings, 52);
  EXPECT_EQ(graph->find("h.0.attn (softmax)"), nullptr);
  EXPECT_EQ(graph->find("h.0.attn (slice 1)"), nullptr);
}

} // namespace
