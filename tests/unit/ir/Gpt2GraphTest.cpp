#include "frontend/Gpt2Graph.h"

#include "frontend/Checkpoint.h"
#include "frontend/Gpt2Parameters.h"
#include "frontend/JsonFields.h"
#include "frontend/Safetensors.h"
#include "ir/Interpreter.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

Array toArray(const TensorView &view) {
  std::vector<float> values(view.numElements());
  convertToFloat(view, values.data());
  return Array(view.shape, std::vector<double>(values.begin(), values.end()));
}

func::FuncOp forwardOf(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("forward");
}

/// The model of a folder, interpreted.
class ReferenceModel {
public:
  explicit ReferenceModel(const Checkpoint &checkpoint)
      : module(buildGpt2Forward(context, checkpoint.config)) {
    EXPECT_TRUE(succeeded(verify(*module)));
    for (const auto &[name, view] : checkpoint.weights.tensors)
      weights.emplace(name, toArray(view));
  }

  Array logits(const std::vector<double> &tokens) {
    Array positions = Array::zeros(static_cast<int64_t>(tokens.size()));
    for (auto [i, position] : llvm::enumerate(positions.elements))
      position = i;
    auto results = interpret(forwardOf(*module),
                             {Array(positions.shape, tokens), positions},
                             nullptr, [&](StringRef name) -> FailureOr<Array> {
                               auto found = weights.find(name.str());
                               if (found == weights.end())
                                 return failure();
                               return found->second;
                             });
    EXPECT_TRUE(succeeded(results));
    return succeeded(results) ? results->at(0) : Array();
  }

private:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::map<std::string, Array> weights;
};

/// The largest difference, as a part of the largest expected magnitude.
double relativeError(const Array &got, const Array &expected) {
  EXPECT_EQ(got.shape, expected.shape);
  double worst = 0, largest = 0;
  for (auto [g, e] : llvm::zip(got.elements, expected.elements)) {
    largest = std::max(largest, std::abs(e));
    worst = std::abs(g - e) > worst || std::isnan(g) ? std::abs(g - e) : worst;
  }
  return worst / largest;
}

class Gpt2Reference : public testing::TestWithParam<const char *> {};

// The expected logits come from NumPy in float64 and are stored as float32,
// whose rounding is 6e-8 of a logit.
TEST_P(Gpt2Reference, LogitsAreTheIndependentAnswer) {
  std::filesystem::path folder =
      std::filesystem::path(TANDEM_REFERENCE_DIR) / GetParam();
  auto checkpoint = openCheckpoint(folder);
  ASSERT_TRUE(checkpoint.has_value()) << checkpoint.error().message;
  auto answers = readJsonObject(folder / "expected.json");
  ASSERT_TRUE(answers.has_value()) << answers.error().message;
  auto expected = SafetensorsFile::open(folder / "expected.safetensors");
  ASSERT_TRUE(expected.has_value()) << expected.error().message;

  ReferenceModel model(*checkpoint);
  ASSERT_FALSE(answers->at("cases").empty());
  for (auto [i, answer] : llvm::enumerate(answers->at("cases"))) {
    auto logits = expected->tensor("logits." + std::to_string(i));
    ASSERT_TRUE(logits.has_value()) << logits.error().message;
    auto prompt = answer.at("prompt").template get<std::vector<double>>();
    EXPECT_LE(relativeError(model.logits(prompt), toArray(*logits)), 1e-7)
        << "prompt " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, Gpt2Reference,
                         testing::Values("base", "bare-names-with-buffers",
                                         "bf16", "f16", "untied-head",
                                         "gelu-exact", "relu-narrow-mlp",
                                         "inverse-layer-scale",
                                         "unscaled-attention", "odd-sizes",
                                         "sharded", "one-head-one-layer"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

ModelConfig smallConfig() {
  ModelConfig config;
  config.vocabSize = 11;
  config.positions = 8;
  config.embed = 6;
  config.layers = 2;
  config.heads = 3;
  config.inner = 10;
  return config;
}

TEST(Gpt2Graph, DeclaresTheWeightsOfTheConfiguration) {
  for (bool tied : {true, false}) {
    ModelConfig config = smallConfig();
    config.tieWordEmbeddings = tied;
    MLIRContext context;
    OwningOpRef<ModuleOp> module = buildGpt2Forward(context, config);
    std::vector<TensorShape> declared;
    for (auto parameter : module->getOps<ParameterOp>()) {
      auto shape = cast<ShapedType>(parameter.getType()).getShape();
      declared.push_back(
          {parameter.getName().str(), {shape.begin(), shape.end()}});
    }
    EXPECT_EQ(declared, gpt2Parameters(config));
  }
}

TEST(Gpt2Graph, SignatureAndPhase) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = buildGpt2Forward(context, smallConfig());
  func::FuncOp forward = forwardOf(*module);
  EXPECT_EQ(getProgram(forward).getPhase(), Phase::Model);
  EXPECT_EQ(getProgram(forward).getPositions(), 8);
  auto name = [](Attribute attribute) {
    return cast<StringAttr>(attribute).getValue();
  };
  EXPECT_EQ(name(forward.getArgAttr(0, "tandem.name")), "tokens");
  EXPECT_EQ(name(forward.getArgAttr(1, "tandem.name")), "positions");
  EXPECT_EQ(name(forward.getResultAttr(0, "tandem.name")), "logits");
  auto logits = cast<RankedTensorType>(forward.getResultTypes()[0]);
  EXPECT_EQ(logits.getShape(), ArrayRef<int64_t>({ShapedType::kDynamic, 11}));
}

TEST(Gpt2Graph, OpsAreNamedAfterTheirLayer) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = buildGpt2Forward(context, smallConfig());
  std::vector<std::string> scales;
  module->walk([&](ScaleOp op) {
    scales.push_back(cast<NameLoc>(op.getLoc()).getName().str());
  });
  EXPECT_EQ(scales, std::vector<std::string>({"h.0.attn", "h.1.attn"}));
}

} // namespace
