#include "runtime/Generate.h"

#include "tests/unit/runtime/TinyModel.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::testing;

namespace {

/// The likeliest token after `tokens`, by plain loops.
int32_t likeliestAfter(const std::vector<int32_t> &tokens) {
  auto logits = expectedLogits(tokens);
  auto last = std::span(logits).last(tiny::vocab);
  return static_cast<int32_t>(std::ranges::max_element(last) - last.begin());
}

std::vector<int32_t> likeliest(std::vector<int32_t> tokens, int64_t count) {
  size_t promptSize = tokens.size();
  for (int64_t i = 0; i < count; ++i)
    tokens.push_back(likeliestAfter(tokens));
  return {tokens.begin() + promptSize, tokens.end()};
}

/// With the KV cache, and without.
class Generate : public ::testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    session = startTiny(plannedExecutable({.prefill = {4, 16},
                                           .decode = {1},
                                           .head = {1},
                                           .forward = {8, 40}}),
                        {.numThreads = 2});
    ASSERT_EQ(session.error, "");
  }

  Result<Generation> run(const std::vector<int32_t> &prompt,
                         GenerationOptions options) {
    options.useKvCache = GetParam();
    seen.clear();
    return generate(*session.session, prompt, options,
                    [&](int32_t token) { seen.push_back(token); });
  }

  TinySession session;
  std::vector<int32_t> seen;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Cache, Generate, ::testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "With" : "Without";
                         });

TEST_P(Generate, ChoosesAsManyTokensAsAskedFor) {
  auto prompt = randomTokens(5, 1);
  auto expected = likeliest(prompt, 9);
  for (int64_t count : {9, 1, 0}) {
    auto got = run(prompt, {.numTokens = count});
    ASSERT_TRUE(got) << got.error().message;
    expected.resize(count);
    EXPECT_EQ(got->ids, expected);
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(got->finish, Finish::Length);
    EXPECT_EQ(got->numDecoded, std::max<int64_t>(count - 1, 0));
  }
}

TEST_P(Generate, EndsWithTheFirstStopToken) {
  auto prompt = randomTokens(5, 2);
  auto expected = likeliest(prompt, 8);
  int32_t stop = expected[4];
  expected.erase(std::ranges::find(expected, stop) + 1, expected.end());
  auto got =
      run(prompt, {.numTokens = 8, .stopTokens = {tiny::vocab + 1, stop}});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->ids, expected);
  EXPECT_EQ(got->finish, Finish::Stop);
}

// Positions 38 and 39 are left: they take two tokens and predict a third.
TEST_P(Generate, EndsWithTheContext) {
  auto prompt = randomTokens(tiny::positions - 2, 3);
  auto got = run(prompt, {.numTokens = 10});
  ASSERT_TRUE(got) << got.error().message;
  ASSERT_EQ(got->ids.size(), 3U);
  EXPECT_EQ(got->ids.front(), likeliestAfter(prompt));
  EXPECT_EQ(got->finish, Finish::Context);

  got = run(randomTokens(tiny::positions, 4), {.numTokens = 2});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->ids.size(), 1U);
  EXPECT_EQ(got->finish, Finish::Context);
}

TEST_P(Generate, RepeatsWhatASeedDraws) {
  auto prompt = randomTokens(3, 5);
  GenerationOptions options{
      .numTokens = 20,
      .sampling = {.greedy = false, .temperature = 50, .seed = 7}};
  auto first = run(prompt, options), second = run(prompt, options);
  options.sampling.seed = 8;
  auto other = run(prompt, options);
  ASSERT_TRUE(first && second && other);
  EXPECT_EQ(first->ids, second->ids);
  EXPECT_NE(first->ids, other->ids);
}

TEST_P(Generate, FailsAsSessionAndSamplerDo) {
  auto empty = run({}, {.numTokens = 1});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message, "tokens: got none, expected at least 1");
  EXPECT_FALSE(run(
      {1}, {.numTokens = 1, .sampling = {.greedy = false, .temperature = -1}}));
  EXPECT_TRUE(seen.empty());
}

TEST(Finish, HasANameEach) {
  EXPECT_EQ(name(Finish::Length), "length");
  EXPECT_EQ(name(Finish::Stop), "stop");
  EXPECT_EQ(name(Finish::Context), "context");
}
