#include "frontend/TokenizerFiles.h"

#include "tests/unit/support/TemporaryFolder.h"

namespace tandem {
namespace {

class TokenizerFilesTest : public TemporaryFolderTest {
protected:
  void SetUp() override {
    TemporaryFolderTest::SetUp();
    write("vocab.json",
          R"({"a": 0, "b": 1, "#": 2, "ab": 3, "##": 4, "<|endoftext|>": 5})");
    write("merges.txt", "#version: 0.2\na b\n# #\n");
  }
  std::string error() { return messageOf(readTokenizer(folder), folder); }

  using Tokens = std::vector<std::pair<std::string, int32_t>>;
};

TEST_F(TokenizerFilesTest, ReadsVocabularyAndMerges) {
  auto data = readTokenizer(folder);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->vocabulary, (std::vector<std::string>{
                                  "a", "b", "#", "ab", "##", "<|endoftext|>"}));
  EXPECT_EQ(data->merges, (std::vector<std::pair<std::string, std::string>>{
                              {"a", "b"}, {"#", "#"}}));
  EXPECT_EQ(data->specialTokens, (Tokens{{"<|endoftext|>", 5}}));
}

TEST_F(TokenizerFilesTest, TakesMergesWithoutVersionAndWithCarriageReturns) {
  write("merges.txt", "# #\r\na b\r\n\r\n");
  auto data = readTokenizer(folder);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->merges.size(), 2u);
}

TEST_F(TokenizerFilesTest, RefusesABadVocabulary) {
  write("vocab.json", R"({"a": 0, "b": 2})");
  EXPECT_EQ(error(), "vocab.json: token \"b\": got 2, expected an id from 0 to "
                     "1 since there are 2 tokens");
  write("vocab.json", R"({"a": 0, "b": "1"})");
  EXPECT_EQ(error(), "vocab.json: token \"b\": got \"1\", expected an id from "
                     "0 to 1 since there are 2 tokens");
  write("vocab.json", R"({"a": 0, "b": 0})");
  EXPECT_EQ(error(), "vocab.json: token \"b\": got id 0, which \"a\" has, "
                     "expected another");
  write("vocab.json", "{}");
  EXPECT_EQ(error(), "vocab.json: got no tokens, expected some");
}

TEST_F(TokenizerFilesTest, RefusesBadMerges) {
  write("merges.txt", "a b\nab\n");
  EXPECT_EQ(error(), "merges.txt: line 2: got \"ab\", expected two tokens with "
                     "a space between them");
  write("merges.txt", "a b c\n");
  EXPECT_EQ(error(), "merges.txt: line 1: got \"a b c\", expected two tokens "
                     "with a space between them");
  write("merges.txt", "a b\nb a\n");
  EXPECT_EQ(error(), "merges.txt: line 2: got token \"ba\", expected one that "
                     "is in the vocabulary");
  write("merges.txt", "a b\n# #\na b\n");
  EXPECT_EQ(error(),
            "merges.txt: line 3: got \"a b\" again, expected each merge once");
  std::filesystem::remove(folder / "merges.txt");
  EXPECT_EQ(error(), "merges.txt: cannot open: No such file or directory");
}

TEST_F(TokenizerFilesTest, ReadsAddedTokens) {
  write("added_tokens.json", R"({"<pad>": 9, "<|endoftext|>": 5})");
  auto data = readTokenizer(folder);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->specialTokens, (Tokens{{"<pad>", 9}, {"<|endoftext|>", 5}}));

  write("added_tokens.json", R"({"<pad>": 0})");
  EXPECT_EQ(error(), "added_tokens.json: token \"<pad>\": got id 0, which "
                     "\"a\" has, expected another");
  write("added_tokens.json", R"({"<pad>": 9, "<sep>": 9})");
  EXPECT_EQ(error(), "added_tokens.json: token \"<sep>\": got id 9, which "
                     "\"<pad>\" has, expected another");
  write("added_tokens.json", R"({"<pad>": -1})");
  EXPECT_EQ(error(), "added_tokens.json: token \"<pad>\": got -1, expected "
                     "text with an id from 0 to 2147483647");
}

TEST_F(TokenizerFilesTest, KnowsFoldersWithoutATokenizer) {
  EXPECT_TRUE(hasTokenizer(folder));
  EXPECT_FALSE(hasTokenizer(folder / "absent"));
}

TEST(DefaultTokenizerTest, Loads) {
  auto data = readTokenizer(TANDEM_MODELS "/shakespeare");
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->vocabulary.size(), 1024u);
  EXPECT_EQ(data->specialTokens.front().second, 1023);
}

} // namespace
} // namespace tandem
