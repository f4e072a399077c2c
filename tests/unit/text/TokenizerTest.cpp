#include "TokenizerFiles.h"
#include "runtime/ByteAlphabet.h"

#include <gtest/gtest.h>
#include <random>

using namespace tandem;
using namespace tandem::test;

namespace {

using Ids = std::vector<int32_t>;

/// a=0 b=1 c=2 ab=3 abc=4, and whatever is added.
TokenizerData smallData() {
  return {.vocabulary = {"a", "b", "c", "ab", "abc"},
          .merges = {{"a", "b"}, {"ab", "c"}},
          .specialTokens = {}};
}

std::string createError(const TokenizerData &data) {
  Result<Tokenizer> tokenizer = Tokenizer::create(data);
  return tokenizer ? "created" : tokenizer.error().message;
}

TEST(ByteAlphabet, IsGpt2s) {
  EXPECT_EQ(byteSymbol('a'), "a");
  EXPECT_EQ(byteSymbol(' '), "Ġ");
  EXPECT_EQ(byteSymbol('\n'), "Ċ");
  EXPECT_EQ(byteSymbol(0), "Ā");
  EXPECT_EQ(byteSymbol(0x7F), "ġ");
  EXPECT_EQ(byteSymbol(0xA0), "ł");
  EXPECT_EQ(byteSymbol(0xAD), "Ń");
  EXPECT_EQ(byteSymbol(0xFF), "ÿ");
}

TEST(ByteAlphabet, GoesBothWaysForEveryByte) {
  for (unsigned byte = 0; byte < 256; ++byte)
    EXPECT_EQ(tokenToBytes(byteSymbol(static_cast<uint8_t>(byte))),
              std::string(1, static_cast<char>(byte)));
}

TEST(ByteAlphabet, TokenOutsideItStandsForItself) {
  EXPECT_EQ(tokenToBytes("<a b>"), "<a b>");
  EXPECT_EQ(tokenToBytes("日"), "日");
  EXPECT_EQ(tokenToBytes("Ńń"), "Ńń"); // U+0144 is the first beyond it
}

TEST(Tokenizer, MergesByRankLeftmostFirst) {
  auto tokenizer = Tokenizer::create(smallData()).value();
  EXPECT_EQ(tokenizer.encode("abcab").value(), (Ids{4, 3}));
  EXPECT_EQ(tokenizer.encode("cba").value(), (Ids{2, 1, 0}));

  TokenizerData runs = {.vocabulary = {"a", "aa", "aaaa"},
                        .merges = {{"a", "a"}, {"aa", "aa"}},
                        .specialTokens = {}};
  EXPECT_EQ(Tokenizer::create(runs)->encode("aaaaaaa").value(), (Ids{2, 1, 0}));
}

TEST(Tokenizer, NothingIsNothing) {
  EXPECT_TRUE(shakespeare().encode("").value().empty());
  EXPECT_EQ(shakespeare().decode({}).value(), "");
}

TEST(Tokenizer, LongestSpecialTokenWins) {
  TokenizerData data = smallData();
  data.specialTokens = {{"<a>", 7}, {"<a><b>", 9}, {"c", 2}};
  auto tokenizer = Tokenizer::create(data).value();
  EXPECT_EQ(tokenizer.encode("ab<a><a><b>cab").value(), (Ids{3, 7, 9, 2, 3}));
  EXPECT_EQ(tokenizer.decode(Ids{3, 7, 9, 2}).value(), "ab<a><a><b>c");
}

TEST(Tokenizer, SpecialTokenEndsWords) {
  TokenizerData data = smallData();
  data.specialTokens = {{"bc", 5}};
  auto tokenizer = Tokenizer::create(data).value();
  EXPECT_EQ(tokenizer.encode("abca").value(), (Ids{0, 5, 0}));
  EXPECT_EQ(tokenizer.encode("abca", false).value(), (Ids{4, 0}));
}

TEST(Tokenizer, ByteWithoutTokenFailsWhereItOccurs) {
  auto tokenizer = Tokenizer::create(smallData()).value();
  EXPECT_EQ(tokenizer.encode("abcd").error().message,
            "tokenizer: byte 0x64 has no token in the vocabulary");
}

TEST(Tokenizer, UnknownIdIsNamed) {
  for (int32_t id : {1024, -1})
    EXPECT_EQ(
        shakespeare().decode(Ids{5, id}).error().message,
        fmt::format("token id {} is not in the vocabulary of 1024 tokens", id));
}

TEST(Tokenizer, RefusesWhatContradictsItself) {
  TokenizerData twice = smallData();
  twice.vocabulary[2] = "a";
  EXPECT_EQ(createError(twice),
            "tokenizer: token 'a': got ids 0 and 2, expected one");

  TokenizerData merge = smallData();
  merge.merges.emplace_back("b", "c");
  EXPECT_EQ(createError(merge), "tokenizer: merge 2 ('b' 'c'): 'bc' is not in "
                                "the vocabulary of 5 tokens");

  TokenizerData special = smallData();
  special.specialTokens = {{"<s>", 1}};
  EXPECT_EQ(createError(special), "tokenizer: special token '<s>': got id 1, "
                                  "which is the vocabulary's 'b'");
  special.specialTokens = {{"", 5}};
  EXPECT_EQ(createError(special),
            "tokenizer: special token of id 5: got empty text");
  special.specialTokens = {{"<s>", -2}};
  EXPECT_EQ(createError(special),
            "tokenizer: special token '<s>': got id -2, expected 0 or more");
  special.specialTokens = {{"<s>", 5}, {"<t>", 5}};
  EXPECT_EQ(createError(special),
            "tokenizer: special token '<t>': got id 5, but '<s>' has id 5");
  special.specialTokens = {{"<s>", 5}, {"<s>", 5}};
  EXPECT_EQ(createError(special), "created");
}

TEST(Tokenizer, LosslessForAnyBytes) {
  const std::string pieces[] = {
      "\xE4\xBD\xA0", "\xE4", "\xBD",     "\xF0\x9F", "\xFF", " ",
      "\n",           "a's",  "\xC2\x85", "9",        "--",   "<|endoftext|>"};
  std::mt19937 generator(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (unsigned count = generator() % 30; count > 0; --count)
      if (generator() % 2 == 0)
        bytes += pieces[generator() % std::size(pieces)];
      else
        bytes += static_cast<char>(generator());
    for (bool parseSpecial : {true, false}) {
      Ids ids = shakespeare().encode(bytes, parseSpecial).value();
      EXPECT_EQ(shakespeare().decode(ids).value(), bytes);
    }
  }
}

/// Quadratic time would make each of these last for minutes.
TEST(Tokenizer, LongRunsAreNotQuadratic) {
  constexpr size_t size = 1 << 20;
  for (char byte : {'a', ' ', '\n', '1', '!', '\xFF', '\''}) {
    std::string run(size, byte);
    run += "x";
    Ids ids = shakespeare().encode(run).value();
    EXPECT_EQ(shakespeare().decode(ids).value(), run);
  }
  std::string specials;
  while (specials.size() < size)
    specials += "<|endoftext|>x";
  EXPECT_EQ(shakespeare().encode(specials)->size(), specials.size() / 14 * 2);
}

} // namespace
