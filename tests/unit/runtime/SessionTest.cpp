#include "tests/unit/runtime/TinyModel.h"
#include "tests/unit/text/AllocationCount.h"

using namespace tandem;
using namespace tandem::testing;

namespace {

const TinyBuckets buckets = {.prefill = {4, 16},
                             .decode = {1, 2, 4},
                             .head = {1, 8, 16},
                             .forward = {8, 40}};

class PlannedSession : public ::testing::TestWithParam<int> {
protected:
  void start(int64_t numSequences = 1, const TinyBuckets &chosen = buckets) {
    session =
        startTiny(plannedExecutable(chosen),
                  {.numThreads = GetParam(), .numSequences = numSequences});
    ASSERT_EQ(session.error, "");
  }

  /// Collects the logits of every row in order.
  Session::LogitsSink collect(std::vector<float> &logits) {
    return [&](int64_t firstRow, std::span<const float> rows) {
      EXPECT_EQ(firstRow * tiny::vocab, static_cast<int64_t>(logits.size()));
      logits.insert(logits.end(), rows.begin(), rows.end());
    };
  }

  TinySession session;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Threads, PlannedSession, ::testing::Values(1, 2, 3));

TEST_P(PlannedSession, PrefillsPromptsOfAnyLength) {
  start();
  auto tokens = randomTokens(tiny::positions, 3);
  auto expected = expectedLogits(tokens);
  for (int64_t count = 1; count <= tiny::positions; ++count) {
    session->reset(0);
    auto logits = session->prefill(0, std::span(tokens).first(count));
    ASSERT_TRUE(logits) << logits.error().message;
    ASSERT_EQ(logits->size(), size_t(tiny::vocab));
    expectRows(*logits, expected, count - 1);
    EXPECT_EQ(session->length(0), count);
  }
}

TEST_P(PlannedSession, ContinuesAPrompt) {
  start();
  auto tokens = randomTokens(tiny::positions, 4);
  auto expected = expectedLogits(tokens);
  ASSERT_TRUE(session->prefill(0, std::span(tokens).first(5)));
  auto logits = session->prefill(0, std::span(tokens).subspan(5, 21));
  ASSERT_TRUE(logits);
  expectRows(*logits, expected, 25);
  for (int64_t i = 26; i < tiny::positions; ++i) {
    Session::DecodeRow row = {0, tokens[i]};
    logits = session->decode({&row, 1});
    ASSERT_TRUE(logits) << logits.error().message;
    expectRows(*logits, expected, i);
  }
  EXPECT_EQ(session->length(0), tiny::positions);
}

TEST_P(PlannedSession, GivesTheLogitsOfEveryToken) {
  start();
  for (int64_t count : {1, 4, 7, 33, 40}) {
    auto tokens = randomTokens(count, 5);
    auto expected = expectedLogits(tokens);
    std::vector<float> prefilled, forwarded;
    session->reset(0);
    ASSERT_TRUE(session->prefillAllLogits(0, tokens, collect(prefilled)));
    expectRows(prefilled, expected, 0);
    EXPECT_EQ(prefilled.size(), expected.size());
    ASSERT_TRUE(session->forward(tokens, true, collect(forwarded)));
    expectRows(forwarded, expected, 0);
    EXPECT_EQ(forwarded.size(), expected.size());
  }
}

// The only head program is larger than what is left of the hidden rows.
TEST_P(PlannedSession, HeadsReachBackForRows) {
  start(1, {.prefill = {16}, .decode = {}, .head = {12}, .forward = {}});
  auto tokens = randomTokens(31, 6);
  auto expected = expectedLogits(tokens);
  std::vector<float> logits;
  ASSERT_TRUE(session->prefillAllLogits(0, tokens, collect(logits)));
  expectRows(logits, expected, 0);
  EXPECT_EQ(logits.size(), expected.size());
}

TEST_P(PlannedSession, ForwardGivesTheLastRowAlone) {
  start();
  auto tokens = randomTokens(9, 7);
  auto expected = expectedLogits(tokens);
  int64_t calls = 0;
  auto ran = session->forward(
      tokens, false, [&](int64_t firstRow, std::span<const float> logits) {
        ++calls;
        EXPECT_EQ(firstRow, 8);
        EXPECT_EQ(logits.size(), size_t(tiny::vocab));
        expectRows(logits, expected, 8);
      });
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(calls, 1);
}

// Six sequences of different lengths: decode_4 and decode_2.
TEST_P(PlannedSession, DecodesManySequences) {
  constexpr int64_t numSequences = 6;
  start(numSequences);
  std::vector<std::vector<int32_t>> texts;
  for (int64_t s = 0; s < numSequences; ++s) {
    texts.push_back(randomTokens(6 * s + 5, 10 + s));
    ASSERT_TRUE(session->prefill(s, std::span(texts[s]).first(6 * s + 1)));
  }
  for (int64_t step = 0; step < 4; ++step) {
    std::vector<Session::DecodeRow> rows;
    for (int64_t s = numSequences; s-- > 0;)
      rows.push_back({s, texts[s][6 * s + 1 + step]});
    auto logits = session->decode(rows);
    ASSERT_TRUE(logits) << logits.error().message;
    ASSERT_EQ(logits->size(), size_t(numSequences * tiny::vocab));
    for (int64_t i = 0; i < numSequences; ++i) {
      int64_t s = rows[i].sequence;
      expectRows(logits->subspan(i * tiny::vocab, tiny::vocab),
                 expectedLogits(texts[s]), 6 * s + 1 + step);
    }
  }
}

TEST_P(PlannedSession, DecodesSeveralTokensOfOneSequence) {
  start(2);
  auto tokens = randomTokens(7, 20), other = randomTokens(1, 21);
  ASSERT_TRUE(session->prefill(0, std::span(tokens).first(4)));
  std::vector<Session::DecodeRow> rows = {
      {0, tokens[4]}, {1, other[0]}, {0, tokens[5]}, {0, tokens[6]}};
  auto logits = session->decode(rows);
  ASSERT_TRUE(logits) << logits.error().message;
  auto expected = expectedLogits(tokens);
  expectRows(logits->first(tiny::vocab), expected, 4);
  expectRows(logits->subspan(tiny::vocab, tiny::vocab), expectedLogits(other),
             0);
  expectRows(logits->subspan(2 * tiny::vocab), expected, 5);
  EXPECT_EQ(session->length(0), 7);
  EXPECT_EQ(session->length(1), 1);
}

TEST_P(PlannedSession, TakesWhatWasPlanned) {
  for (int64_t numSequences : {1, 5}) {
    start(numSequences);
    int64_t planned = session->plannedBytes();
    auto tokens = randomTokens(30, 30);
    ASSERT_TRUE(session->prefill(0, tokens));
    Session::DecodeRow row = {0, 1};
    ASSERT_TRUE(session->decode({&row, 1}));
    ASSERT_TRUE(session->forward(tokens, true, [](auto...) {}));
    EXPECT_EQ(session->peakBytes(), planned);
    EXPECT_EQ(session.memory->currentBytes(), planned);
    session.session.reset();
    EXPECT_EQ(session.memory->currentBytes(), 0);
  }
}

TEST_P(PlannedSession, LeavesOutWhatIsNotAskedFor) {
  auto executable = plannedExecutable(buckets);
  SessionOptions without{.numThreads = GetParam(), .withCache = false};
  session = startTiny(executable, without);
  ASSERT_EQ(session.error, "");
  EXPECT_EQ(session->peakBytes(), session->plannedBytes());
  EXPECT_LT(Session::plannedBytes(executable, without),
            Session::plannedBytes(executable, {}));
  auto tokens = randomTokens(30, 31);
  EXPECT_TRUE(session->forward(tokens, true, [](auto...) {}));
  session->reset(0);
  EXPECT_EQ(session->prefill(0, tokens).error().message,
            "prefill: got no program 'prefill_*' among forward_8, forward_40, "
            "head_1, head_8, head_16, expected one");
}

TEST_P(PlannedSession, AllocatesNothingToDecode) {
  start(2);
  auto tokens = randomTokens(6, 40);
  ASSERT_TRUE(session->prefill(0, tokens));
  std::vector<Session::DecodeRow> rows = {{0, 1}, {1, 2}};
  ASSERT_TRUE(session->decode(rows));
  size_t before = tandem::test::numAllocations();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(session->decode(rows));
    ASSERT_TRUE(session->decode(std::span(rows).first(1)));
  }
  EXPECT_EQ(tandem::test::numAllocations(), before);
}
