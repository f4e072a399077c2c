#include "runtime/TextStream.h"
#include "TokenizerFiles.h"
#include "runtime/ByteAlphabet.h"
#include "runtime/Utf8.h"

#include <gtest/gtest.h>

using namespace tandem;
using namespace tandem::test;

namespace {

using Ids = std::vector<int32_t>;

/// One token a byte, so that ids are bytes.
Tokenizer byteTokenizer() {
  TokenizerData data;
  for (unsigned byte = 0; byte < 256; ++byte)
    data.vocabulary.push_back(byteSymbol(static_cast<uint8_t>(byte)));
  return Tokenizer::create(data).value();
}

Ids bytesAsIds(const std::string &bytes) {
  Ids ids;
  for (char byte : bytes)
    ids.push_back(static_cast<uint8_t>(byte));
  return ids;
}

TEST(TextStream, HoldsBackUntilACharacterIsWhole) {
  Tokenizer tokenizer = byteTokenizer();
  TextStream stream(tokenizer);
  EXPECT_EQ(stream.push('a').value(), "a");
  EXPECT_EQ(stream.push(0xF0).value(), "");
  EXPECT_EQ(stream.push(0x9F).value(), "");
  EXPECT_EQ(stream.push(0x98).value(), "");
  EXPECT_EQ(stream.push(0x80).value(), "\U0001F600");
  EXPECT_EQ(stream.flush(), "");
}

TEST(TextStream, ReplacesAsSoonAsItIsWrong) {
  Tokenizer tokenizer = byteTokenizer();
  TextStream stream(tokenizer);
  EXPECT_EQ(stream.push(0xE4).value(), "");
  EXPECT_EQ(stream.push('b').value(), "\uFFFDb");
  EXPECT_EQ(stream.push(0x80).value(), "\uFFFD");
}

TEST(TextStream, FlushGivesOneReplacementAndStartsAnew) {
  Tokenizer tokenizer = byteTokenizer();
  TextStream stream(tokenizer);
  EXPECT_EQ(stream.push(0xE4).value(), "");
  EXPECT_EQ(stream.push(0xBD).value(), "");
  EXPECT_EQ(stream.flush(), "\uFFFD");
  EXPECT_EQ(stream.flush(), "");
  EXPECT_EQ(stream.push(0xA0).value(), "\uFFFD");
}

TEST(TextStream, UnknownIdChangesNothing) {
  Tokenizer tokenizer = byteTokenizer();
  TextStream stream(tokenizer);
  EXPECT_EQ(stream.push(0xC3).value(), "");
  EXPECT_EQ(stream.push(256).error().message,
            "token id 256 is not in the vocabulary of 256 tokens");
  EXPECT_EQ(stream.push(0xA9).value(), "é");
}

/// The expected texts are Python's.
TEST(TextStream, ReplacesAsPythonDoes) {
  Tokenizer tokenizer = byteTokenizer();
  for (const auto &vector : readVectors("replacement.json")) {
    SCOPED_TRACE(vector.dump());
    Ids ids = bytesAsIds(fromHex(vector.at("bytes")));
    EXPECT_EQ(decodeText(tokenizer, ids).value(),
              vector.at("text").get<std::string>());

    TextStream stream(tokenizer);
    std::string text;
    for (int32_t id : ids)
      text += stream.push(id).value();
    text += stream.flush();
    EXPECT_EQ(text, vector.at("text").get<std::string>());
  }
}

TEST(TextStream, DecodeTextOfInvalidBytes) {
  nlohmann::json all = readVectors("shakespeare.json");
  for (const auto &vector : all.at("bytes"))
    EXPECT_EQ(decodeText(shakespeare(), vector.at("ids").get<Ids>()).value(),
              vector.at("text").get<std::string>());
}

TEST(Utf8, MaskKeepsOffsets) {
  EXPECT_EQ(maskInvalidUtf8("a\xFF"
                            "é\xE4\xBD",
                            '!'),
            "a!é!!");
  EXPECT_EQ(maskInvalidUtf8("\xED\xA0\x80", '!'), "!!!");
  EXPECT_TRUE(isValidUtf8("é\U0010FFFF"));
  EXPECT_FALSE(isValidUtf8("\xC0\x80"));
}

} // namespace
