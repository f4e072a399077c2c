#include "runtime/Sampler.h"
#include "AllocationCount.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

using namespace tandem;

namespace {

using Ids = std::vector<int32_t>;

constexpr float infinity = std::numeric_limits<float>::infinity();

// Probabilities at temperature 1: .466 .172 .104 .063 .023 .172
const std::vector<float> sixLogits = {2, 1, 0.5, 0, -1, 1};

SamplingOptions sampling(double temperature, int64_t topK, double topP,
                         uint64_t seed = 42) {
  return {.greedy = false,
          .temperature = temperature,
          .topK = topK,
          .topP = topP,
          .seed = seed};
}

Ids draw(const SamplingOptions &options, const std::vector<float> &logits,
         int count) {
  Sampler sampler = Sampler::create(options, logits.size()).value();
  Ids ids;
  for (int i = 0; i < count; ++i)
    ids.push_back(sampler.sample(logits).value());
  return ids;
}

std::set<int32_t> kept(const SamplingOptions &options,
                       const std::vector<float> &logits) {
  Ids ids = draw(options, logits, 4000);
  return {ids.begin(), ids.end()};
}

std::string sampleError(const std::vector<float> &logits, size_t size) {
  Result<int32_t> id = Sampler::create(sampling(1, 0, 1), size)->sample(logits);
  return id ? "sampled" : id.error().message;
}

TEST(Sampler, GreedyTakesTheLowestOfEquals) {
  Sampler sampler = Sampler::create({}, 5).value();
  EXPECT_EQ(sampler.sample(std::vector<float>{-3, 2, -1, 2, 0}), 1);
  EXPECT_EQ(sampler.sample(std::vector<float>{0.0F, -0.0F, -1, -2, -3}), 0);
  EXPECT_EQ(sampler.sample(std::vector<float>{-infinity, -5, -6, -5, -9}), 1);
}

/// Ids from a separate implementation: its own mt19937_64, and the three
/// filters as Hugging Face states them (sort ascending, accumulate, remove).
TEST(Sampler, SeedGivesTheSameIdsEverywhere) {
  EXPECT_EQ(draw(sampling(1, 0, 1), sixLogits, 16),
            (Ids{3, 2, 3, 0, 5, 0, 1, 0, 0, 0, 0, 1, 2, 1, 4, 5}));
  EXPECT_EQ(draw(sampling(0.5, 0, 1), sixLogits, 16),
            (Ids{1, 0, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 5}));
  EXPECT_EQ(draw(sampling(1, 2, 1), sixLogits, 16),
            (Ids{1, 1, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1, 1, 5, 5}));
  EXPECT_EQ(draw(sampling(1, 0, 0.6), sixLogits, 16),
            (Ids{1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(draw(sampling(2, 3, 0.7), sixLogits, 16),
            (Ids{1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(Sampler, DrawsInProportion) {
  constexpr int count = 100000;
  Ids ids =
      draw(sampling(1, 0, 1, 7), {0, std::log(2.0F), std::log(5.0F)}, count);
  // Standard deviation of a count: at most sqrt(100000) / 2 = 158; 5 of them.
  for (auto [id, share] : {std::pair{0, 0.125}, {1, 0.25}, {2, 0.625}})
    EXPECT_NEAR(std::ranges::count(ids, id), share * count, 790);
}

TEST(Sampler, TopKKeepsTiesAtTheKth) {
  EXPECT_EQ(kept(sampling(1, 1, 1), sixLogits), (std::set{0}));
  EXPECT_EQ(kept(sampling(1, 2, 1), sixLogits), (std::set{0, 1, 5}));
  EXPECT_EQ(kept(sampling(1, 3, 1), sixLogits), (std::set{0, 1, 5}));
  EXPECT_EQ(kept(sampling(1, 4, 1), sixLogits), (std::set{0, 1, 2, 5}));
  EXPECT_EQ(kept(sampling(1, 99, 1), sixLogits).size(), 6U);
}

TEST(Sampler, TopPKeepsTheFewestThatReachIt) {
  // Accumulated, best first: .466 .638 .810 .914 .977 1
  EXPECT_EQ(kept(sampling(1, 0, 0), sixLogits), (std::set{0}));
  EXPECT_EQ(kept(sampling(1, 0, 0.46), sixLogits), (std::set{0}));
  EXPECT_EQ(kept(sampling(1, 0, 0.47), sixLogits), (std::set{0, 1}));
  EXPECT_EQ(kept(sampling(1, 0, 0.65), sixLogits), (std::set{0, 1, 5}));
  EXPECT_EQ(kept(sampling(1, 0, 0.98), sixLogits).size(), 6U);
  // Exactly half of four equals.
  EXPECT_EQ(kept(sampling(1, 0, 0.5), {1, 1, 1, 1}), (std::set{0, 1}));
}

TEST(Sampler, FiltersInOrder) {
  // Temperature first: at 0.5 the first has .746 of the whole.
  EXPECT_EQ(kept(sampling(0.5, 0, 0.7), sixLogits), (std::set{0}));
  EXPECT_EQ(kept(sampling(1, 0, 0.7), sixLogits), (std::set{0, 1, 5}));
  // Then top-k, and top-p of what it kept: .576 .212 .212
  EXPECT_EQ(kept(sampling(1, 3, 0.57), sixLogits), (std::set{0}));
  EXPECT_EQ(kept(sampling(1, 0, 0.57), sixLogits), (std::set{0, 1}));
}

TEST(Sampler, ExtremesStayFinite) {
  EXPECT_EQ(kept(sampling(1e-300, 0, 1), {1, 2, 2, -3e38F}), (std::set{1, 2}));
  EXPECT_EQ(kept(sampling(1e300, 0, 1), {-3e38F, 3e38F}), (std::set{0, 1}));
  EXPECT_EQ(kept(sampling(1, 0, 1), {0, -infinity, 0, -infinity}),
            (std::set{0, 2}));
  EXPECT_EQ(kept(sampling(1, 3, 0.9), {-infinity, 4, -infinity, -infinity}),
            (std::set{1}));
}

TEST(Sampler, NamesTheLogitThatIsWrong) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(sampleError({1, nan, 2}, 3), "sampler: logit of token 1: got nan, "
                                         "expected a finite number or -inf");
  EXPECT_EQ(sampleError({1, 1, infinity}, 3),
            "sampler: logit of token 2: got inf, expected a finite number or "
            "-inf");
  EXPECT_EQ(sampleError({-infinity, -infinity}, 2),
            "sampler: all 2 logits are -inf, expected a finite one");
  EXPECT_EQ(sampleError({1, 2}, 3), "sampler: got 2 logits, expected 3");
  EXPECT_FALSE(Sampler::create({}, 2)->sample(std::vector<float>{1, nan}));
  EXPECT_FALSE(Sampler::create({}, 0));
}

TEST(Sampler, ValidatesOptions) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (double temperature : {0.0, -1.0, nan, HUGE_VAL})
    EXPECT_FALSE(sampling(temperature, 0, 1).validate()) << temperature;
  for (double topP : {-0.1, 1.1, nan})
    EXPECT_FALSE(sampling(1, 0, topP).validate()) << topP;
  EXPECT_EQ(sampling(1, -1, 1).validate().error().message,
            "top-k: got -1, expected 0 (no limit) or more");
  EXPECT_FALSE(Sampler::create(sampling(0, 0, 1), 3));
  EXPECT_TRUE(sampling(1, 0, 0).validate());
  EXPECT_TRUE((SamplingOptions{.greedy = true, .temperature = 0}.validate()));
}

TEST(Sampler, AllocatesNothing) {
  std::vector<float> logits(50257);
  for (size_t i = 0; i < logits.size(); ++i)
    logits[i] = static_cast<float>(i * 7919 % 10007) / 1000;
  for (const SamplingOptions &options :
       {SamplingOptions{}, sampling(0.8, 0, 1), sampling(0.8, 40, 0.9),
        sampling(1.2, 0, 0.95)}) {
    Sampler sampler = Sampler::create(options, logits.size()).value();
    size_t before = test::numAllocations();
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(sampler.sample(logits));
    EXPECT_EQ(test::numAllocations(), before);
  }
}

} // namespace
