#include "RandomGraph.h"
#include "FixedConversation.h"
#include "TestPipeline.h"

#include "mlir/IR/Verifier.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace tandem;

namespace {

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

class EverySeed : public testing::TestWithParam<uint32_t> {};

/// Five graphs each, before and after every pass.
TEST_P(EverySeed, IsTheSameAfterEveryPass) {
  for (uint32_t seed = 5 * GetParam(); seed < 5 * GetParam() + 5; ++seed) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    OwningOpRef<ModuleOp> module = randomGraph(context, seed);
    ASSERT_TRUE(succeeded(verify(*module))) << "seed " << seed;
    RandomWeights weights(*module);
    Ledger ledger;
    auto hold = [&](const std::string &state) {
      ledger.enter(fmt::format("seed {}: {}", seed, state));
      converse(*module, weights, ledger);
      EXPECT_GT(ledger.numRecorded(), 0) << "seed " << seed;
    };
    hold("imported");
    auto ran = runPassByPass(*module, allPrograms(), [&](StringRef pass) {
      hold("after " + pass.str());
      return !ledger.hasFailed();
    });
    ASSERT_TRUE(ran.has_value())
        << "seed " << seed << ": " << ran.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(RandomGraphs, EverySeed, testing::Range(0u, 10u));

TEST(RandomGraph, SeedsGiveGraphsOfManyKinds) {
  std::set<std::string> texts, kinds;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    OwningOpRef<ModuleOp> module = randomGraph(context, seed);
    EXPECT_EQ(textOf(*module), textOf(*randomGraph(context, seed)));
    texts.insert(textOf(*module));
    module->walk([&](ActivationOp op) {
      kinds.insert(stringifyActivationKind(op.getKind()).str());
    });
  }
  EXPECT_EQ(texts.size(), 50);
  EXPECT_EQ(kinds.size(), 5);
}

} // namespace
