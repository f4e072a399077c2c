#include "TokenizerFiles.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace tandem;
using namespace tandem::test;

namespace {

using Ids = std::vector<int32_t>;

/// Texts and bytes with the ids that two reference tokenizers agree on.
void checkOddVectors(const Tokenizer &tokenizer, const nlohmann::json &all) {
  for (const auto &vector : all.at("texts")) {
    SCOPED_TRACE(vector.at("why").get<std::string>());
    auto text = vector.at("text").get<std::string>();
    EXPECT_EQ(tokenizer.encode(text, false).value(),
              vector.at("ids").get<Ids>());
    Ids withSpecial = tokenizer.encode(text).value();
    EXPECT_EQ(withSpecial, vector.at("ids_with_special").get<Ids>());
    EXPECT_EQ(tokenizer.decode(withSpecial).value(), text);
  }
  for (const auto &vector : all.at("bytes")) {
    SCOPED_TRACE(vector.at("why").get<std::string>());
    std::string bytes = fromHex(vector.at("bytes"));
    EXPECT_EQ(tokenizer.encode(bytes).value(), vector.at("ids").get<Ids>());
    EXPECT_EQ(tokenizer.decode(vector.at("ids").get<Ids>()).value(), bytes);
  }
}

TEST(TokenizerVectors, ShakespeareVocabulary) {
  checkOddVectors(shakespeare(), readVectors("shakespeare.json"));
}

/// The real vocabulary is not part of the project: the variable names a folder
/// with GPT-2's vocab.json and merges.txt.
class Gpt2Vocabulary : public testing::Test {
protected:
  void SetUp() override {
    const char *folder = std::getenv("TANDEM_GPT2_TOKENIZER");
    if (!folder)
      GTEST_SKIP() << "TANDEM_GPT2_TOKENIZER is not set to a folder with "
                      "GPT-2's vocab.json and merges.txt";
    tokenizer = std::make_unique<Tokenizer>(
        Tokenizer::create(readTokenizerData(folder)).value());
  }

  std::unique_ptr<Tokenizer> tokenizer;
};

TEST_F(Gpt2Vocabulary, ReferenceTexts) {
  for (const auto &vector : readVectors("gpt2.json")) {
    auto text = vector.at("text").get<std::string>();
    SCOPED_TRACE(vector.dump());
    Ids ids = tokenizer->encode(text, false).value();
    EXPECT_EQ(ids, vector.at("ids").get<Ids>());
    EXPECT_EQ(tokenizer->decode(ids).value(), text);
  }
}

TEST_F(Gpt2Vocabulary, OddTexts) {
  checkOddVectors(*tokenizer, readVectors("gpt2-odd.json"));
}

TEST_F(Gpt2Vocabulary, EveryTokenHasBytes) {
  ASSERT_EQ(tokenizer->vocabularySize(), 50257U);
  for (int32_t id = 0; id < 50257; ++id)
    EXPECT_FALSE(tokenizer->bytesOf(id).value().empty()) << id;
}

} // namespace
