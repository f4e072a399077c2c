#include "tests/unit/runtime/TinyModel.h"

using namespace tandem;
using namespace tandem::testing;

namespace {

const TinyBuckets buckets = {.prefill = {4, 16},
                             .decode = {1, 2},
                             .head = {1, 8},
                             .forward = {dynamicDim}};

class EagerSession : public ::testing::TestWithParam<int> {
protected:
  void SetUp() override {
    session = startTiny(eagerExecutable(buckets),
                        {.numThreads = GetParam(), .numSequences = 3});
    ASSERT_EQ(session.error, "");
  }

  TinySession session;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Threads, EagerSession, ::testing::Values(1, 2, 3));

TEST_P(EagerSession, PrefillsAndDecodes) {
  auto tokens = randomTokens(tiny::positions, 3);
  auto expected = expectedLogits(tokens);
  for (int64_t count : {1, 4, 9, 25}) {
    session->reset(0);
    auto logits = session->prefill(0, std::span(tokens).first(count));
    ASSERT_TRUE(logits) << logits.error().message;
    expectRows(*logits, expected, count - 1);
  }
  for (int64_t i = 25; i < tiny::positions; ++i) {
    Session::DecodeRow row = {0, tokens[i]};
    auto logits = session->decode({&row, 1});
    ASSERT_TRUE(logits) << logits.error().message;
    expectRows(*logits, expected, i);
  }
}

TEST_P(EagerSession, GivesTheLogitsOfEveryToken) {
  for (int64_t count : {7, 1, 40}) {
    auto tokens = randomTokens(count, 4);
    auto expected = expectedLogits(tokens);
    int64_t rows = 0;
    auto check = [&](int64_t firstRow, std::span<const float> logits) {
      EXPECT_EQ(firstRow, rows);
      expectRows(logits, expected, firstRow);
      rows += logits.size() / tiny::vocab;
    };
    session->reset(1);
    ASSERT_TRUE(session->prefillAllLogits(1, tokens, check));
    EXPECT_EQ(rows, count);
    rows = 0;
    ASSERT_TRUE(session->forward(tokens, true, check));
    EXPECT_EQ(rows, count);
  }
}

TEST_P(EagerSession, DecodesSequencesOfDifferentLengths) {
  auto longer = randomTokens(20, 5), shorter = randomTokens(3, 6);
  ASSERT_TRUE(session->prefill(0, std::span(longer).first(19)));
  ASSERT_TRUE(session->prefill(2, std::span(shorter).first(2)));
  std::vector<Session::DecodeRow> rows = {{2, shorter[2]}, {0, longer[19]}};
  auto logits = session->decode(rows);
  ASSERT_TRUE(logits) << logits.error().message;
  expectRows(logits->first(tiny::vocab), expectedLogits(shorter), 2);
  expectRows(logits->subspan(tiny::vocab), expectedLogits(longer), 19);
}

TEST_P(EagerSession, ReturnsItsMemory) {
  int64_t before = session.memory->currentBytes();
  EXPECT_EQ(before, session->plannedBytes());
  auto tokens = randomTokens(10, 7);
  for (int i = 0; i < 3; ++i) {
    session->reset(0);
    ASSERT_TRUE(session->prefill(0, tokens));
    EXPECT_EQ(session.memory->currentBytes(), before);
  }
  EXPECT_GT(session->peakBytes(), before);
}

// Inputs and outputs that were to grow are as large as they were.
TEST_P(EagerSession, KeepsItsInputsPastTheLimit) {
  auto tokens = randomTokens(tiny::positions, 9);
  session.memory->setLimit(session->peakBytes());
  auto refused = session->forward(tokens, true, [](auto...) {});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("memory: "))
      << refused.error().message;
  EXPECT_EQ(session.memory->currentBytes(), session->plannedBytes());
  session.memory->setLimit(int64_t{1} << 40);
  for (int i = 0; i < 2; ++i) { // with the inputs as they were, and grown
    session->reset(0);
    auto logits = session->prefill(0, tokens);
    ASSERT_TRUE(logits) << logits.error().message;
    expectRows(*logits, expectedLogits(tokens), tiny::positions - 1);
    ASSERT_TRUE(session->forward(tokens, true, [](auto...) {}));
  }
}

// After an error every sequence is as long as it was.
TEST_P(EagerSession, FailsPastTheLimit) {
  auto tokens = randomTokens(20, 8);
  ASSERT_TRUE(session->prefill(0, std::span(tokens).first(1)));
  session.memory->setLimit(session.memory->currentBytes() + 2100);
  auto refused = session->prefill(0, std::span(tokens).subspan(1));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("memory: "))
      << refused.error().message;
  EXPECT_EQ(session->length(0), 1);
  std::vector<Session::DecodeRow> rows = {{0, 1}, {1, 1}, {2, 1}};
  session.memory->setLimit(session.memory->currentBytes());
  EXPECT_FALSE(session->decode(rows));
  EXPECT_EQ(session->length(0), 1);
  EXPECT_EQ(session->length(2), 0);
  session.memory->setLimit(int64_t(1) << 40);
  auto logits = session->prefill(0, std::span(tokens).subspan(1));
  ASSERT_TRUE(logits) << logits.error().message;
  expectRows(*logits, expectedLogits(tokens), 19);
}
