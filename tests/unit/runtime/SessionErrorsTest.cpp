#include "tests/unit/runtime/TinyModel.h"

using namespace tandem;
using namespace tandem::testing;

namespace {

const TinyBuckets buckets = {
    .prefill = {16}, .decode = {1, 2}, .head = {1}, .forward = {8}};

class SessionErrors : public ::testing::Test {
protected:
  void SetUp() override {
    session = startTiny(plannedExecutable(buckets), {.numSequences = 3});
    ASSERT_EQ(session.error, "");
  }

  std::string prefillError(int64_t sequence, std::vector<int32_t> tokens) {
    auto logits = session->prefill(sequence, tokens);
    return logits ? "" : logits.error().message;
  }
  std::string decodeError(std::vector<Session::DecodeRow> rows) {
    auto logits = session->decode(rows);
    return logits ? "" : logits.error().message;
  }
  std::string forwardError(std::vector<int32_t> tokens) {
    auto ran = session->forward(tokens, true, [](auto...) {});
    return ran ? "" : ran.error().message;
  }

  TinySession session;
};

} // namespace

TEST_F(SessionErrors, OfTokens) {
  EXPECT_EQ(prefillError(0, {}), "tokens: got none, expected at least 1");
  EXPECT_EQ(prefillError(0, {1, 70}), "token 1: got id 70, expected 0 to 69");
  EXPECT_EQ(prefillError(0, {-1}), "token 0: got id -1, expected 0 to 69");
  EXPECT_EQ(decodeError({{0, 1}, {1, 99}}),
            "token 1: got id 99, expected 0 to 69");
  EXPECT_EQ(forwardError({}), "tokens: got none, expected at least 1");
  EXPECT_EQ(forwardError({70}), "token 0: got id 70, expected 0 to 69");
  EXPECT_EQ(session->length(0), 0);
}

TEST_F(SessionErrors, OfSequences) {
  EXPECT_EQ(prefillError(3, {1}), "sequence: got 3, expected 0 to 2");
  EXPECT_EQ(prefillError(-1, {1}), "sequence: got -1, expected 0 to 2");
  EXPECT_EQ(decodeError({{0, 1}, {4, 1}}), "sequence: got 4, expected 0 to 2");
  EXPECT_EQ(session->length(0), 0);
}

TEST_F(SessionErrors, OfLengths) {
  EXPECT_EQ(prefillError(0, randomTokens(41, 1)),
            "sequence 0: got 41 tokens, expected at most 40");
  EXPECT_EQ(prefillError(1, randomTokens(39, 1)), "");
  EXPECT_EQ(decodeError({{1, 1}, {1, 1}}),
            "sequence 1: got 41 tokens, expected at most 40");
  EXPECT_EQ(session->length(1), 39);
  EXPECT_EQ(decodeError({{1, 1}}), "");
  EXPECT_EQ(decodeError({{1, 1}}),
            "sequence 1: got 41 tokens, expected at most 40");
  EXPECT_EQ(decodeError({}), "decode: got 0 rows, expected 1 to 3");
  EXPECT_EQ(decodeError({{0, 1}, {1, 1}, {2, 1}, {0, 1}}),
            "decode: got 4 rows, expected 1 to 3");
  EXPECT_EQ(forwardError(randomTokens(9, 1)),
            "forward: got 9 tokens, expected at most 8");
}

TEST_F(SessionErrors, OfMissingPrograms) {
  session = startTiny(plannedExecutable(
      {.prefill = {4}, .decode = {}, .head = {}, .forward = {}}));
  EXPECT_EQ(prefillError(0, {1}),
            "prefill: got no program 'head_*' among prefill_4, expected one");
  EXPECT_EQ(decodeError({{0, 1}}),
            "decode: got no program 'decode_*' among prefill_4, expected one");
  EXPECT_EQ(forwardError({1}),
            "forward: got no program 'forward_*' among prefill_4, expected "
            "one");
}

TEST(SessionCreation, RefusesMoreThreadsThanThePlanHasScratchFor) {
  EXPECT_EQ(startTiny(plannedExecutable(buckets), {.numThreads = 4}).error,
            "threads: got 4, expected at most the 3 it was compiled for");
}

TEST(SessionCreation, RefusesAPlanPastTheLimit) {
  auto executable = plannedExecutable(buckets);
  int64_t planned = Session::plannedBytes(executable, {});
  EXPECT_EQ(startTiny(executable, {.memoryLimit = planned}).error, "");
  EXPECT_EQ(startTiny(executable, {.memoryLimit = planned - 1}).error,
            fmt::format("memory: got a plan of {} bytes, expected at most {}",
                        planned, planned - 1));
}

TEST(SessionCreation, RefusesASignatureThatDoesNotFit) {
  auto executable = plannedExecutable(buckets);
  Program &prefill = executable.programs[0];
  int32_t hidden = prefill.outputs.extract("hidden").mapped();
  prefill.values[hidden].segment = Segment::Transient;
  EXPECT_EQ(startTiny(executable).error,
            "program 'prefill_16': got no 'hidden', expected one");
}

TEST(SessionCreation, RefusesConstantsOfAnotherSize) {
  auto executable = std::make_shared<Executable>(plannedExecutable(buckets));
  auto session = Session::create(executable, Buffer(),
                                 std::make_shared<MemoryTracker>(), {});
  EXPECT_EQ(session.error().message,
            fmt::format("constants: got 0 bytes, expected {}",
                        executable->constantBytes));
}
