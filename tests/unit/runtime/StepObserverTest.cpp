#include "tests/unit/runtime/TinyModel.h"

using namespace tandem;
using namespace tandem::testing;

namespace {

constexpr int64_t rows = 5;

/// Planned or eager, by so many threads.
class ObservedSession : public ::testing::TestWithParam<std::tuple<bool, int>> {
protected:
  void SetUp() override {
    auto [planned, threads] = GetParam();
    TinyBuckets buckets = {.prefill = {8},
                           .decode = {1},
                           .head = {1, 8},
                           .forward = {planned ? rows : dynamicDim}};
    session = startTiny(planned ? plannedExecutable(buckets)
                                : eagerExecutable(buckets),
                        {.numThreads = threads});
    ASSERT_EQ(session.error, "");
  }

  TinySession session;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(, ObservedSession,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(1, 3)));

TEST_P(ObservedSession, SeesEveryStepInOrderWithItsOutputsWhole) {
  auto tokens = randomTokens(rows, 3);
  auto expected = expectedLogits(tokens);
  const Program *program = nullptr;
  size_t next = 0, lastSteps = 0;
  session->observe([&](const StepRun &run) {
    if (&run.program != program) {
      program = &run.program;
      next = 0;
    }
    ASSERT_LT(next, run.program.steps.size());
    EXPECT_EQ(&run.step, &run.program.steps[next++]);
    ASSERT_EQ(run.outputs.size(), run.step.outputs.size());
    const Value *logits = find(run.program, Port::Logits);
    if (next != run.program.steps.size() || !logits)
      return;
    ++lastSteps;
    auto *got = static_cast<const float *>(run.outputs.back());
    expectRows({got, rows * tiny::vocab}, expected, 0);
  });
  ASSERT_TRUE(
      session->forward(tokens, true, [](int64_t, std::span<const float>) {}));
  EXPECT_EQ(lastSteps, 1);
  EXPECT_EQ(next, program->steps.size());
}

TEST_P(ObservedSession, SeesTheRowsThatCount) {
  auto tokens = randomTokens(3, 3);
  int64_t prefills = 0;
  session->observe([&](const StepRun &run) {
    if (run.program.kind != ProgramKind::Prefill)
      return;
    ++prefills;
    EXPECT_EQ(static_cast<const int32_t *>(
                  run.ports[static_cast<size_t>(Port::Valid)])[0],
              3);
  });
  ASSERT_TRUE(session->prefill(0, tokens));
  EXPECT_GT(prefills, 0);
  session->observe(nullptr);
  prefills = 0;
  session->reset(0);
  ASSERT_TRUE(session->prefill(0, tokens));
  EXPECT_EQ(prefills, 0);
}
