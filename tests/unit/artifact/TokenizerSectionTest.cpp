#include "runtime/TokenizerSection.h"

#include "tests/unit/artifact/SmallArtifact.h"

#include <cstring>
#include <gtest/gtest.h>

namespace tandem {
namespace {

class TokenizerSectionTest : public testing::Test {
protected:
  void SetUp() override {
    auto made = tokenizerSection(data);
    ASSERT_TRUE(made) << made.error().message;
    section = *made;
  }

  /// With the number at a place, counted in numbers, replaced.
  std::string errorWith(size_t place, int32_t number) const {
    std::vector<std::byte> changed = section;
    std::memcpy(changed.data() + place * sizeof number, &number, sizeof number);
    auto got = parseTokenizerSection(changed);
    return got ? "" : got.error().message;
  }

  TokenizerData data = *smallContents().tokenizer;
  std::vector<std::byte> section;
};

TEST_F(TokenizerSectionTest, KeepsEveryToken) {
  auto got = parseTokenizerSection(section);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->vocabulary, data.vocabulary);
  EXPECT_EQ(got->merges, data.merges);
  EXPECT_EQ(got->specialTokens, data.specialTokens);
}

TEST_F(TokenizerSectionTest, RefusesWhatDoesNotFit) {
  for (size_t size = 0; size < section.size(); ++size)
    EXPECT_FALSE(parseTokenizerSection(std::span(section).first(size))) << size;
  std::string expected = fmt::format(
      "got numbers and {} bytes that do not fit together", section.size());
  // The three counts, and the size of the first token.
  for (size_t place : {0, 1, 2, 3})
    for (int32_t number : {-1, 0, 100, INT32_MAX, INT32_MIN})
      EXPECT_EQ(errorWith(place, number), expected)
          << number << " at " << place;
  size_t firstMerge = 3 + data.vocabulary.size() + 2 * 2;
  for (int32_t id : {-1, 8})
    EXPECT_EQ(errorWith(firstMerge, id),
              fmt::format("merge 0: got id {}, expected one of 8 tokens", id));
}

} // namespace
} // namespace tandem
