#include "runtime/GenerateEach.h"

#include "tests/unit/runtime/TinyModel.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::testing;

namespace {

/// As many sequences as the parameter says, over decode programs of 1, 2, 4, 8.
class GenerateEach : public ::testing::TestWithParam<int> {
protected:
  void SetUp() override {
    executable = plannedExecutable({.prefill = {4, 16},
                                    .decode = {1, 2, 4, 8},
                                    .head = {1},
                                    .forward = {8, 40}});
    session =
        startTiny(executable, {.numThreads = 2, .numSequences = GetParam()});
    ASSERT_EQ(session.error, "");
  }

  /// What each prompt becomes in a session of its own.
  std::vector<Generation> alone(const GenerationOptions &options) {
    TinySession other = startTiny(executable, {.numThreads = 2});
    std::vector<Generation> results;
    for (const auto &prompt : prompts) {
      auto got = generate(*other.session, prompt, options, [](int32_t) {});
      EXPECT_TRUE(got) << got.error().message;
      results.push_back(got.value_or(Generation()));
    }
    return results;
  }

  Result<void> together(const GenerationOptions &options) {
    results.clear();
    return generateEach(*session.session, prompts, options,
                        [&](size_t index, const Generation &generation) {
                          EXPECT_EQ(index, results.size()); // in their order
                          results.push_back(generation);
                          return Result<void>();
                        });
  }

  void expectAsAlone(const GenerationOptions &options) {
    auto expected = alone(options);
    auto ran = together(options);
    ASSERT_TRUE(ran) << ran.error().message;
    ASSERT_EQ(results.size(), prompts.size());
    for (size_t i = 0; i < prompts.size(); ++i) {
      EXPECT_EQ(results[i].ids, expected[i].ids) << "prompt " << i;
      EXPECT_EQ(results[i].finish, expected[i].finish) << "prompt " << i;
      EXPECT_EQ(results[i].numDecoded, expected[i].numDecoded);
    }
  }

  void makePrompts(std::initializer_list<int64_t> lengths) {
    for (int64_t length : lengths)
      prompts.push_back(randomTokens(length, 100 + prompts.size()));
  }

  Executable executable;
  TinySession session;
  std::vector<std::vector<int32_t>> prompts;
  std::vector<Generation> results;
};

const SamplingOptions drawn = {.greedy = false, .temperature = 50, .seed = 7};

} // namespace

INSTANTIATE_TEST_SUITE_P(Sequences, GenerateEach,
                         ::testing::Values(1, 2, 3, 5, 8));

// The prompt of 40 fills the context; those of 38 and 39 run into its end
// while others go on.
TEST_P(GenerateEach, GivesWhatEachGivesAlone) {
  makePrompts({5, 1, 40, 38, 16, 39, 7, 3, 20, 33, 4, 2});
  for (int64_t count : {0, 1, 12}) {
    expectAsAlone({.numTokens = count});
    expectAsAlone({.numTokens = count, .sampling = drawn});
    expectAsAlone({.numTokens = count, .sampling = drawn, .useKvCache = false});
  }
}

TEST_P(GenerateEach, EndsEachWithItsOwnStopToken) {
  makePrompts({5, 1, 16, 7, 3, 20, 4, 2, 9, 11});
  GenerationOptions options = {.numTokens = 20, .sampling = drawn};
  auto whole = alone(options);
  options.stopTokens = {whole[0].ids[3], whole[4].ids[9], whole[7].ids[0]};
  expectAsAlone(options);
  auto stopped = std::ranges::count(results, Finish::Stop, &Generation::finish);
  EXPECT_GE(stopped, 3);
  EXPECT_EQ(results[7].ids.size(), 1U);
}

TEST_P(GenerateEach, EndsWhereNobodyTakesTheResult) {
  makePrompts({5, 1, 16});
  int calls = 0;
  auto ran = generateEach(*session.session, prompts, {.numTokens = 2},
                          [&](size_t, const Generation &) -> Result<void> {
                            ++calls;
                            return failure("full");
                          });
  EXPECT_EQ(calls, 1);
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message, "full");
}

TEST_P(GenerateEach, FailsAsSessionAndSamplerDo) {
  makePrompts({5, 41, 3});
  auto ran = together({.numTokens = 2});
  ASSERT_FALSE(ran);
  EXPECT_TRUE(ran.error().message.ends_with("got 41 tokens, expected at most "
                                            "40"))
      << ran.error().message;
  EXPECT_FALSE(together(
      {.numTokens = 2, .sampling = {.greedy = false, .temperature = -1}}));
}
