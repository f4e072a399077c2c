#include "runtime/Evaluate.h"

#include "tests/unit/runtime/TinyModel.h"

#include <cmath>

using namespace tandem;
using namespace tandem::testing;

namespace {

const TinyBuckets buckets = {
    .prefill = {4, 16}, .decode = {1}, .head = {1, 8}, .forward = {8, 40}};
const TinyBuckets eagerBuckets = {
    .prefill = {4, 16}, .decode = {1}, .head = {1, 8}, .forward = {dynamicDim}};

/// The logits of windows of tiny::positions tokens, by plain loops.
std::vector<float> windowedLogits(const std::vector<int32_t> &tokens) {
  std::vector<float> logits;
  for (size_t begin = 0; begin < tokens.size(); begin += tiny::positions) {
    size_t end = std::min<size_t>(tokens.size(), begin + tiny::positions);
    auto window =
        expectedLogits({tokens.begin() + begin, tokens.begin() + end});
    logits.insert(logits.end(), window.begin(), window.end());
  }
  return logits;
}

/// The mean of -ln(e^logit / sum of e^logits) over every token but the first.
double meanNll(const std::vector<float> &logits,
               const std::vector<int32_t> &tokens) {
  double total = 0;
  for (size_t row = 0; row + 1 < tokens.size(); ++row) {
    double sum = 0;
    for (int64_t v = 0; v < tiny::vocab; ++v)
      sum += std::exp(double(logits[row * tiny::vocab + v]));
    total -= std::log(
        std::exp(double(logits[row * tiny::vocab + tokens[row + 1]])) / sum);
  }
  return total / (tokens.size() - 1);
}

class Evaluate : public ::testing::TestWithParam<Via> {
protected:
  void check(const Executable &executable) {
    TinySession session = startTiny(executable, {.numThreads = 2});
    ASSERT_EQ(session.error, "");
    // Less than a window, one, a token more, and two and a part.
    for (int64_t count : {2, 40, 41, 90}) {
      auto tokens = randomTokens(count, 11);
      auto expected = windowedLogits(tokens);
      int64_t rows = 0;
      auto got = evaluate(*session.session, tokens, GetParam(),
                          [&](int64_t first, std::span<const float> logits) {
                            EXPECT_EQ(first, rows);
                            expectRows(logits, expected, first);
                            rows += logits.size() / tiny::vocab;
                          });
      ASSERT_TRUE(got) << got.error().message;
      EXPECT_EQ(rows, count);
      EXPECT_EQ(got->numTokens, count);
      EXPECT_NEAR(got->meanNll, meanNll(expected, tokens), 1e-4);
    }
  }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Via, Evaluate,
                         ::testing::Values(Via::Forward, Via::Prefill,
                                           Via::Decode));

TEST_P(Evaluate, CountsEveryTokenButTheFirst) {
  check(plannedExecutable(buckets));
}

TEST_P(Evaluate, IsTheSameEagerly) { check(eagerExecutable(eagerBuckets)); }

TEST_P(Evaluate, OfOneTokenOrNone) {
  TinySession session = startTiny(plannedExecutable(buckets));
  ASSERT_EQ(session.error, "");
  std::vector<int32_t> tokens = {5};
  auto ignore = [](auto...) {};
  auto got = evaluate(*session.session, tokens, GetParam(), ignore);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->numTokens, 1);
  EXPECT_TRUE(std::isnan(got->meanNll));
  auto refused = evaluate(*session.session, {}, GetParam(), ignore);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "text: got no tokens, expected 1 or more");
}

TEST(NegativeLogLikelihood, WorkedNumbers) {
  std::vector<float> equal(4, -3.0f), apart = {1000, 0, -1000};
  EXPECT_DOUBLE_EQ(negativeLogLikelihood(equal, 2), std::log(4.0));
  EXPECT_EQ(negativeLogLikelihood(apart, 0), 0);
  EXPECT_EQ(negativeLogLikelihood(apart, 2), 2000);
  EXPECT_DOUBLE_EQ((Evaluation{2, std::log(4.0)}.perplexity()), 4);
}

TEST(ParseVia, KnowsThree) {
  EXPECT_EQ(parseVia("forward"), Via::Forward);
  EXPECT_EQ(parseVia("prefill"), Via::Prefill);
  EXPECT_EQ(parseVia("decode"), Via::Decode);
  EXPECT_EQ(parseVia("Decode"), std::nullopt);
}
