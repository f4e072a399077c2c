#include "frontend/GenerationConfig.h"

#include "tests/unit/support/TemporaryFolder.h"

namespace tandem {
namespace {

class GenerationConfigTest : public TemporaryFolderTest {
protected:
  Result<GenerationDefaults> read(std::string_view text) {
    write("generation_config.json", text);
    return readGenerationConfig(folder);
  }
  std::string error(std::string_view text) {
    return messageOf(read(text), folder);
  }
};

TEST_F(GenerationConfigTest, IsGreedyWithoutAFile) {
  auto config = readGenerationConfig(folder);
  ASSERT_TRUE(config);
  EXPECT_EQ(*config, GenerationDefaults{});
  EXPECT_FALSE(config->doSample);
}

TEST_F(GenerationConfigTest, ReadsEveryKey) {
  auto config = read(R"({"do_sample": true, "temperature": 0.8, "top_k": 40,
    "top_p": 0.9, "eos_token_id": [1, 2], "transformers_version": "4.40.0"})");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, (GenerationDefaults{
                         true, 0.8, 40, 0.9, std::vector<int64_t>{1, 2}, {}}));
}

TEST_F(GenerationConfigTest, KeepsWhatItDoesNotApply) {
  auto config = read(R"({"repetition_penalty": 1.2, "min_p": 0.1,
    "suppress_tokens": [3], "forced_eos_token_id": 0, "max_length": 50})");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->unapplied,
            (std::vector<UnappliedSetting>{{"repetition_penalty", "1.2", false},
                                           {"suppress_tokens", "[3]", false},
                                           {"forced_eos_token_id", "0", false},
                                           {"min_p", "0.1", true}}));
}

TEST_F(GenerationConfigTest, IsSilentAboutValuesThatChangeNothing) {
  auto config = read(R"({"repetition_penalty": 1.0, "min_p": null,
    "typical_p": 1, "num_beams": 1, "bad_words_ids": [], "min_length": 0})");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, GenerationDefaults{});
}

TEST_F(GenerationConfigTest, TakesNullForAbsent) {
  auto config = read(R"({"temperature": null, "top_k": null, "top_p": null})");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, GenerationDefaults{});
}

TEST_F(GenerationConfigTest, RefusesValuesOutOfRange) {
  EXPECT_EQ(error(R"({"temperature": 0})"),
            "generation_config.json: temperature: got 0, expected a number "
            "above 0");
  EXPECT_EQ(error(R"({"top_p": 1.5})"),
            "generation_config.json: top_p: got 1.5, expected a number from 0 "
            "to 1");
  EXPECT_EQ(error(R"({"top_k": -1})"),
            "generation_config.json: top_k: got -1, expected an integer from 0 "
            "to 2147483647");
  EXPECT_EQ(error(R"({"do_sample": "yes"})"),
            "generation_config.json: do_sample: got \"yes\", expected true or "
            "false");
  EXPECT_EQ(error(R"({"eos_token_id": -1})"),
            "generation_config.json: eos_token_id: got -1, expected a token "
            "id, a list of them or null");
}

} // namespace
} // namespace tandem
