// Graphs written by hand, compiled for this machine and run on its kernels,
// against the reference interpreter.

#include "backend/PackConstants.h"
#include "backend/lowering/LowerToExecutable.h"
#include "backend/lowering/Target.h"
#include "passes/Passes.h"
#include "passes/Pipeline.h"
#include "runtime/Session.h"
#include "tests/unit/passes/FixedConversation.h"
#include "tests/unit/passes/HandWrittenGraphs.h"
#include "tests/unit/passes/RandomWeights.h"

#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace tandem;

namespace {

/// Random weights in f32, for a session and for the interpreter.
class Weights {
public:
  explicit Weights(mlir::ModuleOp module) {
    for (auto parameter : module.getOps<ParameterOp>()) {
      llvm::StringRef name = parameter.getSymName();
      auto shape = mlir::cast<mlir::ShapedType>(parameter.getType()).getShape();
      Array array = randomArray(name, shape);
      std::vector<float> floats(array.elements.begin(), array.elements.end());
      array.elements.assign(floats.begin(), floats.end());
      auto bytes = std::make_shared<std::vector<std::byte>>(floats.size() *
                                                            sizeof(float));
      std::memcpy(bytes->data(), floats.data(), bytes->size());
      store.tensors[name.str()] = {ElementType::F32, shape.vec(),
                                   bytes->data()};
      store.buffers.push_back(bytes);
      arrays[name.str()] = std::move(array);
    }
  }

  WeightStore store;
  std::map<std::string, Array> arrays;
};

class CompiledGraphs : public testing::Test {
protected:
  void load(const std::string &text, ModelSummary summary) {
    context
        .loadDialect<TandemDialect, mlir::func::FuncDialect,
                     mlir::memref::MemRefDialect, mlir::arith::ArithDialect>();
    this->text = text;
    this->summary = summary;
    auto model = parse();
    weights.emplace(*model);
    std::vector<double> positions(numTokens);
    std::iota(positions.begin(), positions.end(), 0.);
    auto results = interpret(
        model->lookupSymbol<mlir::func::FuncOp>("forward"),
        {Array({numTokens}, randomIds("tokens", numTokens, testVocabulary)),
         Array({numTokens}, positions)},
        nullptr, [&](llvm::StringRef name) -> mlir::FailureOr<Array> {
          return weights->arrays.at(name.str());
        });
    ASSERT_TRUE(succeeded(results));
    expected = results->front().elements;
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse() {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  Executable compile(std::vector<std::string> disabledPasses) {
    auto module = parse();
    PipelineOptions options;
    options.rows = {
        .prefill = {4, 16}, .decode = {1}, .head = {1, 8}, .forward = {}};
    options.target = hostTarget(2);
    options.disabledPasses = std::move(disabledPasses);
    auto done = runPipeline(*module, options);
    EXPECT_TRUE(done.has_value()) << done.error().message;
    auto executable = lowerToExecutable(*module);
    EXPECT_TRUE(executable.has_value()) << executable.error().message;
    executable->model = summary;
    executable->numThreads = 2;
    return *executable;
  }

  /// All but the last four tokens through prefill, those through decode. A few
  /// dozen sums of at most 11 products of numbers near 1, each off by 2^-24 of
  /// its size, and norms that divide by no less than sqrt(epsilon) = 0.03.
  void expectLogits(Executable executable) {
    auto memory = std::make_shared<MemoryTracker>();
    auto constants = Buffer::allocate(*memory, executable.constantBytes, "w");
    ASSERT_TRUE(constants.has_value());
    auto packed =
        packConstants(executable, weights->store, constants->data(), 2);
    ASSERT_TRUE(packed.has_value()) << packed.error().message;
    auto session = Session::create(
        std::make_shared<Executable>(std::move(executable)),
        std::move(*constants), memory, {.numThreads = 1, .withForward = false});
    ASSERT_TRUE(session.has_value()) << session.error().message;
    std::vector<double> ids = randomIds("tokens", numTokens, testVocabulary);
    std::vector<int32_t> tokens(ids.begin(), ids.end());
    auto compare = [&](int64_t row, std::span<const float> logits) {
      for (size_t i = 0; i < logits.size(); ++i)
        EXPECT_NEAR(logits[i], expected[row * testVocabulary + i], 1e-4)
            << "row " << row << ", logit " << i;
    };
    auto prefilled = (*session)->prefillAllLogits(
        0, std::span(tokens).first(numTokens - 4), compare);
    ASSERT_TRUE(prefilled.has_value()) << prefilled.error().message;
    for (int64_t row = numTokens - 4; row < numTokens; ++row) {
      Session::DecodeRow next = {0, tokens[row]};
      auto logits = (*session)->decode({&next, 1});
      ASSERT_TRUE(logits.has_value()) << logits.error().message;
      compare(row, *logits);
    }
  }

  static constexpr int64_t numTokens = testPositions - 1;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::string text;
  ModelSummary summary;
  std::optional<Weights> weights;
  std::vector<double> expected; // logits [numTokens, testVocabulary]
};

int64_t numSteps(const Executable &executable, std::string_view kernel) {
  for (const Program &program : executable.programs)
    if (program.kind == ProgramKind::Decode)
      return std::ranges::count(program.steps, kernel, &Step::kernel);
  return -1;
}

TEST_F(CompiledGraphs, WithSeparateProjections) {
  ASSERT_NO_FATAL_FAILURE(
      load(separateProjections(), {.name = "separate",
                                   .vocabSize = testVocabulary,
                                   .positions = testPositions,
                                   .layers = 2,
                                   .heads = 2,
                                   .embed = 6,
                                   .inner = 10,
                                   .eosTokens = {}}));
  Executable fused = compile({});
  EXPECT_EQ(numSteps(fused, "linear"), 2 * 4 + 1);
  EXPECT_EQ(numSteps(fused, "add_embedding"), 1);
  expectLogits(fused);
  Executable apart = compile({"merge-projections", "fuse-embedding"});
  EXPECT_EQ(numSteps(apart, "linear"), 2 * 6 + 1);
  EXPECT_EQ(numSteps(apart, "embedding"), 2);
  expectLogits(apart);
  expectLogits(compile({"assign-layouts"}));
}

TEST_F(CompiledGraphs, WithColumnsFirst) {
  ASSERT_NO_FATAL_FAILURE(load(columnsFirst(), {.name = "columns",
                                                .vocabSize = testVocabulary,
                                                .positions = testPositions,
                                                .layers = 1,
                                                .heads = 2,
                                                .embed = 4,
                                                .inner = 5,
                                                .eosTokens = {}}));
  expectLogits(compile({}));
  expectLogits(compile({"fuse-attention", "merge-projections"}));
}

} // namespace
