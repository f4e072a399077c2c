#include "backend/kernels/Scratch.h"
#include "runtime/RunnableProgram.h"
#include "tests/unit/runtime/ProgramBuilder.h"
#include "tests/unit/text/AllocationCount.h"

#include <gtest/gtest.h>

using namespace tandem;
using namespace tandem::testing;

namespace {

constexpr int64_t rows = 4, embed = 3, vocab = 5;

/// hidden = table[tokens] (plain [vocab, embed]), logits = hidden weight, with
/// weight [embed, vocab] behind the table; both of small whole numbers.
class TwoSteps : public ::testing::TestWithParam<int> {
protected:
  TwoSteps() {
    ProgramBuilder builder("two", ProgramKind::Forward, rows, true);
    int32_t table = builder.constant({vocab, embed}, 0);
    int32_t weight = builder.constant({embed, vocab}, vocab * embed * 4);
    int32_t ids = builder.input("tokens", ElementType::I32, {rows});
    int32_t hidden = builder.op("embedding", {table, ids}, {rows, embed});
    builder.step("matmul", {hidden, weight},
                 builder.output("logits", {rows, vocab}));
    executable.programs = {builder.program};
    for (size_t i = 0; i < constants.size(); ++i)
      constants[i] = static_cast<float>(i % 7);
  }

  Result<std::unique_ptr<RunnableProgram>> make() {
    threads = std::move(*ThreadPool::create(GetParam()));
    arena.resize(executable.programs[0].transientBytes);
    return makeRunnable(
        executable.programs[0],
        {.executable = executable,
         .threads = *threads,
         .kernels = kernels,
         .memory = memory,
         .constants = reinterpret_cast<std::byte *>(constants.data()),
         .transient = arena.data()});
  }

  std::vector<float> expected(const std::vector<int32_t> &tokens) const {
    std::vector<float> logits(rows * vocab);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t v = 0; v < vocab; ++v)
        for (int64_t i = 0; i < embed; ++i)
          logits[row * vocab + v] += constants[tokens[row] * embed + i] *
                                     constants[vocab * embed + i * vocab + v];
    return logits;
  }

  Executable executable;
  std::vector<float> constants = std::vector<float>(2 * vocab * embed);
  std::vector<std::byte> arena;
  MemoryTracker memory;
  KernelCache kernels;
  std::unique_ptr<ThreadPool> threads;
};

PortAddresses addressesOf(std::vector<int32_t> &tokens,
                          std::vector<float> &logits) {
  PortAddresses ports = {};
  ports[static_cast<size_t>(Port::Tokens)] = tokens.data();
  ports[static_cast<size_t>(Port::Logits)] = logits.data();
  return ports;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Threads, TwoSteps, ::testing::Values(1, 2, 3));

TEST_P(TwoSteps, RunOnTheAddressesOfEachRun) {
  auto program = make();
  ASSERT_TRUE(program) << program.error().message;
  for (std::vector<int32_t> tokens :
       {std::vector{0, 1, 2, 3}, std::vector{4, 4, 0, 2}}) {
    std::vector<float> logits(rows * vocab);
    ASSERT_TRUE((*program)->run(addressesOf(tokens, logits), dynamicDim));
    EXPECT_EQ(logits, expected(tokens));
  }
  EXPECT_EQ(memory.peakBytes(), 0);
}

TEST_P(TwoSteps, NameTheStepThatHasNoKernel) {
  executable.programs[0].steps[1].kernel = "convolve";
  auto message = make().error().message;
  EXPECT_TRUE(message.starts_with("program 'two': step 1 (convolve) of matmul "
                                  "here: kernel: got 'convolve', expected"))
      << message;
}

TEST(BoundProgram, SharesTheKernelsOfEqualSteps) {
  ProgramBuilder builder("three", ProgramKind::Forward, rows, true);
  int32_t x = builder.input("hidden", ElementType::F32, {rows, embed});
  for (double factor : {2.0, 2.0, 3.0})
    x = builder.op("scale", {x}, {rows, embed}, {{"factor", factor}});
  Executable executable;
  executable.programs = {builder.program};
  MemoryTracker memory;
  KernelCache kernels;
  auto threads = ThreadPool::create(1);
  std::vector<std::byte> arena(builder.program.transientBytes);
  auto program =
      makeRunnable(executable.programs[0], {.executable = executable,
                                            .threads = **threads,
                                            .kernels = kernels,
                                            .memory = memory,
                                            .transient = arena.data()});
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(kernels.size(), 2u);
  std::vector<float> hidden(rows * embed, 1);
  PortAddresses ports = {};
  ports[static_cast<size_t>(Port::Hidden)] = hidden.data();
  size_t before = test::numAllocations();
  ASSERT_TRUE((*program)->run(ports, dynamicDim));
  EXPECT_EQ(test::numAllocations(), before);
  int64_t last = executable.programs[0].values.back().offset;
  EXPECT_EQ(*reinterpret_cast<float *>(arena.data() + last), 12);
}
