#include "runtime/RunnableProgram.h"
#include "tests/unit/runtime/ProgramBuilder.h"

#include <gtest/gtest.h>

using namespace tandem;
using namespace tandem::testing;

namespace {

constexpr int64_t columns = 8;

/// hidden [?, columns] -> scale by 2 -> reshape to [?, 2, 4] -> scale by 3 ->
/// reshape back, the output `logits`.
class Chain : public ::testing::Test {
protected:
  Chain() {
    ProgramBuilder builder("chain", ProgramKind::Forward, dynamicDim, false);
    int32_t x =
        builder.input("hidden", ElementType::F32, {dynamicDim, columns});
    x = builder.op("scale", {x}, {dynamicDim, columns}, {{"factor", 2.0}});
    x = builder.op("reshape", {x}, {dynamicDim, 2, 4});
    x = builder.op("scale", {x}, {dynamicDim, 2, 4}, {{"factor", 3.0}});
    builder.step("reshape", {x},
                 builder.output("logits", {dynamicDim, columns}));
    executable.programs = {builder.program};
    threads = std::move(*ThreadPool::create(2));
  }

  void make() {
    auto made = makeRunnable(executable.programs[0], {.executable = executable,
                                                      .threads = *threads,
                                                      .kernels = kernels,
                                                      .memory = memory});
    ASSERT_TRUE(made) << made.error().message;
    program = std::move(*made);
  }

  Result<std::vector<float>> run(int64_t rows) {
    std::vector<float> hidden(rows * columns), logits(rows * columns);
    for (size_t i = 0; i < hidden.size(); ++i)
      hidden[i] = static_cast<float>(i);
    PortAddresses ports = {};
    ports[static_cast<size_t>(Port::Hidden)] = hidden.data();
    ports[static_cast<size_t>(Port::Logits)] = logits.data();
    if (auto ran = program->run(ports, rows); !ran)
      return std::unexpected(ran.error());
    return logits;
  }

  Executable executable;
  MemoryTracker memory;
  KernelCache kernels;
  std::unique_ptr<ThreadPool> threads;
  std::unique_ptr<RunnableProgram> program;
};

} // namespace

TEST_F(Chain, RunsWithAnyNumberOfRows) {
  make();
  for (int64_t rows : {1, 5, 2000, 5}) {
    auto logits = run(rows);
    ASSERT_TRUE(logits) << logits.error().message;
    for (size_t i = 0; i < logits->size(); ++i)
      ASSERT_EQ((*logits)[i], 6.0f * static_cast<float>(i));
    EXPECT_EQ(memory.currentBytes(), 0);
  }
}

// Two tensors at a time: a reshape takes no memory, and what nobody needs any
// more is freed.
TEST_F(Chain, FreesTensorsAfterTheirLastUse) {
  make();
  ASSERT_TRUE(run(4));
  EXPECT_EQ(memory.peakBytes(), 2 * 4 * columns * 4);
}

TEST_F(Chain, FailsPastTheLimitAndFreesEverything) {
  make();
  memory.setLimit(4 * columns * 4);
  EXPECT_EQ(run(4).error().message,
            "memory: scale here: got 128 bytes beside 128 in use, expected at "
            "most 128 in all");
  EXPECT_EQ(memory.currentBytes(), 0);
  EXPECT_TRUE(run(2));
}

TEST_F(Chain, NamesTheStepThatHasNoKernel) {
  executable.programs[0].steps[2].attributes.clear();
  make();
  EXPECT_EQ(run(1).error().message,
            "program 'chain': step 2 (scale) of scale here: scale: attribute "
            "'factor': got none, expected one");
  EXPECT_EQ(memory.currentBytes(), 0);
}
