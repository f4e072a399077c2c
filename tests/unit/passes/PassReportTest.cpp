#include "passes/PassReport.h"
#include "TestModels.h"
#include "passes/Pipeline.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

TEST(PassReport, AddsUpAndPrintsALineAPass) {
  PassReport report;
  report.addCounts("fuse-linear", {{"linears formed", 40}, {"residuals", 20}});
  report.addTime("cse", 0.25);
  report.addTime("fuse-linear", 1);
  report.addTime("fuse-linear", 10.5);
  report.addCounts("fuse-linear", {{"linears formed", 8}, {"residuals", 4}});
  EXPECT_EQ(report.count("fuse-linear", "linears formed"), 48);
  EXPECT_EQ(report.count("fuse-linear", "biases"), 0);
  EXPECT_EQ(report.count("cse", "linears formed"), 0);
  std::string text;
  llvm::raw_string_ostream stream(text);
  report.print(stream);
  EXPECT_EQ(text, "fuse-linear             11.50 ms  linears formed 48, "
                  "residuals 24\n"
                  "cse                      0.25 ms\n");
}

// The first model is a GPT-2 of two layers with a tied head.
TEST(PassReport, HasWhatThePipelineDid) {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module = testModels().front().build(context);
  PipelineOptions options;
  options.rows.prefill = {16, 5};
  options.rows.decode = {1, 4};
  options.rows.head = {1, 3};
  options.rows.forward = {7};
  PassReport report;
  PassManager manager(&context);
  ASSERT_TRUE(buildPipeline(manager, options, report));
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_EQ(report.count("specialize-phases", "programs written"), 7);
  // Two layers of two prefill and two decode programs; of one forward program.
  EXPECT_EQ(report.count("insert-kv-cache", "attentions cached"), 8);
  EXPECT_EQ(report.count("fuse-attention", "cached attentions formed"), 8);
  EXPECT_EQ(report.count("fuse-attention", "attentions formed"), 2);
  // Five programs with two layers of four linears, two of which add to the
  // residual stream; four that end in logits.
  EXPECT_EQ(report.count("fuse-linear", "linears formed"), 5 * 2 * 4 + 4);
  EXPECT_EQ(report.count("fuse-linear", "biases folded"), 5 * 2 * 4);
  EXPECT_EQ(report.count("fuse-linear", "activations folded"), 5 * 2);
  EXPECT_EQ(report.count("fuse-linear", "residuals folded"), 5 * 2 * 2);
  // One weight makes queries, keys and values. The embeddings are summed where
  // they are read; every other sum has gone into a linear.
  EXPECT_EQ(report.count("merge-projections", "linears merged"), 0);
  EXPECT_EQ(report.count("fuse-embedding", "sums fused"), 5);
  EXPECT_EQ(report.count("fuse-add-layer-norm", "sums fused"), 0);
  EXPECT_EQ(report.count("bound-cache-reads", "reads bounded"), 0);
  EXPECT_EQ(report.count("assign-layouts", "parameters packed"), 2 * 4 + 1);
  // Queries, keys and values.
  EXPECT_EQ(report.count("bufferize", "slices viewed"), 5 * 2 * 3);
  int64_t planned = report.count("plan-memory", "arena bytes");
  EXPECT_GE(planned, report.count("plan-memory", "lower bound"));
  EXPECT_GT(report.count("plan-memory", "lower bound"), 0);
  EXPECT_GT(report.count("plan-memory", "constant bytes"), 0);
  EXPECT_GE(report.count("schedule", "peak bytes as given"),
            report.count("schedule", "peak bytes"));
}
