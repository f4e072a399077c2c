#include "passes/Pipeline.h"
#include "FixedConversation.h"
#include "TestModels.h"
#include "TestPipeline.h"
#include "passes/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

/// A model with its weights, and the numbers that it makes.
class PipelineTest : public testing::Test {
protected:
  void load(const TestModel &model) {
    module = model.build(context);
    ASSERT_TRUE(module && succeeded(verify(*module)));
    weights.emplace(*module);
    hold("imported");
    ASSERT_EQ(ledger.numRecorded(), 4 * testPositions);
  }

  void hold(std::string state) {
    ledger.enter(std::move(state));
    converse(*module, *weights, ledger);
  }

  void apply(const PipelineOptions &options) {
    auto done = runPipeline(*module, options);
    ASSERT_TRUE(done.has_value()) << done.error().message;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::optional<RandomWeights> weights;
  Ledger ledger;
};

/// Holds the conversation after every pass.
class AfterEveryPass : public PassInstrumentation {
public:
  AfterEveryPass(ModuleOp module, const RandomWeights &weights, Ledger &ledger,
                 std::vector<std::string> &seen)
      : module(module), weights(weights), ledger(ledger), seen(seen) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    // What runs passes on functions, and what changes nothing.
    if (pass->getArgument().empty() || pass->getArgument() == "check-legality")
      return;
    std::string state = "after " + pass->getArgument().str();
    if (auto function = dyn_cast<func::FuncOp>(op))
      state += " on " + function.getName().str();
    ledger.enter(state);
    converse(module, weights, ledger);
    EXPECT_GT(ledger.numRecorded(), 0) << state;
    if (!llvm::is_contained(seen, pass->getArgument()))
      seen.push_back(pass->getArgument().str());
  }

private:
  ModuleOp module;
  const RandomWeights &weights;
  Ledger &ledger;
  std::vector<std::string> &seen;
};

int64_t numAllocations(ModuleOp module) {
  int64_t count = 0;
  module.walk([&](memref::AllocOp) { ++count; });
  return count;
}

class EveryModel : public PipelineTest,
                   public testing::WithParamInterface<TestModel> {};

TEST_P(EveryModel, IsTheSameAfterEveryPass) {
  load(GetParam());
  PassReport report;
  PassManager manager(&context);
  ASSERT_TRUE(buildPipeline(manager, allPrograms(), report).has_value());
  std::vector<std::string> seen;
  manager.addInstrumentation(
      std::make_unique<AfterEveryPass>(*module, *weights, ledger, seen));
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_EQ(seen,
            (std::vector<std::string>{
                "specialize-phases", "insert-kv-cache", "canonicalize", "cse",
                "fuse-attention", "fuse-linear", "merge-projections",
                "fuse-embedding", "fuse-add-layer-norm", "choose-precision",
                "bound-cache-reads", "assign-layouts", "schedule", "bufferize",
                "plan-memory"}));
  EXPECT_EQ(numAllocations(*module), 0);
  // So that nothing is left out in silence: forward_7 of 4 sequences, with 1
  // and 3 rows through the heads; 83 rows of prefill in 8 chunks, the last row
  // of each through the head; decode of 5 rows, then of 3 x 3, with logits.
  EXPECT_EQ(ledger.numRecorded(), 4 * (7 + 1 + 3) + 83 + 8 + 2 * (5 + 9));
}

/// What choose-precision makes of the numbers, later passes leave as it is.
TEST_P(EveryModel, IsTheSameAfterEveryPassBehindChoosePrecision) {
  for (Precision precision :
       {Precision::BF16, Precision::Int8, Precision::Int4}) {
    ledger = Ledger();
    ASSERT_NO_FATAL_FAILURE(load(GetParam()));
    ledger = Ledger(); // the numbers are others from here on
    PipelineOptions options = allPrograms();
    options.precision = precision;
    for (Stage stage : {Stage::Typed, Stage::LaidOut, Stage::Planned}) {
      options.stage = stage;
      apply(options);
      hold(fmt::format("{} at {}", name(precision), nameOf(stage).str()));
      EXPECT_GT(ledger.numRecorded(), 0);
    }
  }
}

TEST_P(EveryModel, RunsOnAnyNumberOfRowsAsSpecialized) {
  load(GetParam());
  PipelineOptions options = allPrograms();
  options.stage = Stage::Specialized;
  options.rows.forward = {-1};
  apply(options);
  hold("specialized");
}

INSTANTIATE_TEST_SUITE_P(, EveryModel, testing::ValuesIn(testModels()),
                         [](const auto &info) { return info.param.name; });

TEST_F(PipelineTest, EveryChoiceOfOptimisationsIsTheSame) {
  const std::string all[] = {
      "fuse-attention", "fuse-linear",         "merge-projections",
      "fuse-embedding", "fuse-add-layer-norm", "assign-layouts",
      "schedule"};
  for (const TestModel &model : testModels()) {
    if (model.name != "gated" && model.name != "separate_projections")
      continue;
    for (unsigned choice = 0; choice < 1u << std::size(all); ++choice) {
      ASSERT_NO_FATAL_FAILURE(load(model));
      PipelineOptions options = allPrograms();
      for (auto [i, name] : llvm::enumerate(all))
        if (choice >> i & 1)
          options.disabledPasses.push_back(name);
      apply(options);
      hold(fmt::format("{} without {}", model.name,
                       fmt::join(options.disabledPasses, ", ")));
      EXPECT_EQ(numAllocations(*module), 0);
    }
    ledger = Ledger();
  }
}

TEST_F(PipelineTest, AWrongPlanIsSeen) {
  load(testModels().front());
  apply(allPrograms());
  module->walk([](arith::ConstantIndexOp offset) {
    offset.setValueAttr(IntegerAttr::get(offset.getType(), 0));
  });
  ledger.expectFailures();
  hold("everything at offset 0");
  EXPECT_TRUE(ledger.hasFailed());
}

TEST_F(PipelineTest, ProgramsThatDisagreeOnTheCacheDoNotVerify) {
  load(testModels().front());
  PipelineOptions options = allPrograms();
  options.stage = Stage::Specialized;
  apply(options);
  ASSERT_TRUE(succeeded(verify(*module)));
  auto decode = module->lookupSymbol<func::FuncOp>("decode_1");
  auto type = cast<KvCacheType>(decode.getArgumentTypes()[0]);
  auto longer = KvCacheType::get(
      &context, type.getLayers(), type.getHeads(), type.getHeadSize(),
      type.getBlock(), type.getPositions() + 1, type.getElementType());
  decode.walk([&](Operation *op) {
    for (mlir::Value result : op->getResults())
      if (result.getType() == type)
        result.setType(longer);
  });
  decode.getArgument(0).setType(longer);
  SmallVector<Type> results(decode.getResultTypes());
  results[0] = longer;
  decode.setFunctionType(
      FunctionType::get(&context, decode.front().getArgumentTypes(), results));
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = message.empty() ? diagnostic.str() : message;
  });
  EXPECT_TRUE(failed(verify(*module)));
  EXPECT_NE(message.find("KV cache: got"), std::string::npos) << message;
}

TEST_F(PipelineTest, RefusesPassesThatDoNotExistOrCannotBeSkipped) {
  PassReport report;
  PassManager manager(&context);
  PipelineOptions options;
  options.disabledPasses = {"bufferize"};
  auto built = buildPipeline(manager, options, report);
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().message,
            "pass: got 'bufferize', expected one of fuse-attention, "
            "fuse-linear, merge-projections, fuse-embedding, "
            "fuse-add-layer-norm, choose-precision, assign-layouts, schedule");
  options.disabledPasses = {};
  options.printAfter = {"fuse"};
  EXPECT_FALSE(buildPipeline(manager, options, report).has_value());
  options.printAfter = {"bufferize"};
  EXPECT_TRUE(buildPipeline(manager, options, report).has_value());
}

} // namespace
