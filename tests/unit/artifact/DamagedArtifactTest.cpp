#include "runtime/ArtifactFile.h"

#include "tests/unit/artifact/SmallArtifact.h"
#include "tests/unit/support/TemporaryFolder.h"

namespace tandem {
namespace {

class DamagedArtifactTest : public TemporaryFolderTest {
protected:
  void SetUp() override {
    TemporaryFolderTest::SetUp();
    auto contents = smallContents();
    auto path = folder / "m.tandem";
    ASSERT_TRUE(writeSmallArtifact(path, contents));
    std::ifstream stream(path, std::ios::binary);
    whole = {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string errorOf(std::string_view content) {
    return messageOf(readArtifact(write("m.tandem", content)), folder);
  }

  /// The file itself without a file: quick enough for every byte.
  static bool isRefused(std::string_view content) {
    auto file = SectionFile::open(
        std::as_bytes(std::span(content)), [](std::string_view name) -> size_t {
          return name == "constants" ? artifactPageInBytes : 64;
        });
    if (!file)
      return true;
    for (const char *name : {"origin", "program", "generation", "tokenizer",
                             "module", "constants"})
      if (!file->check(name))
        return true;
    return false;
  }

  std::string whole;
};

TEST_F(DamagedArtifactTest, IsRefusedWhateverByteChanges) {
  ASSERT_FALSE(isRefused(whole));
  for (size_t i = 0; i < whole.size(); ++i)
    for (int flip : {0x01, 0x80, 0xff}) {
      whole[i] = static_cast<char>(whole[i] ^ flip);
      EXPECT_TRUE(isRefused(whole)) << "byte " << i << ", flipped " << flip;
      whole[i] = static_cast<char>(whole[i] ^ flip);
    }
}

TEST_F(DamagedArtifactTest, IsRefusedWhereverItIsCut) {
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(isRefused(std::string_view(whole).substr(0, size)))
        << size << " bytes";
  EXPECT_TRUE(isRefused(whole + '\0'));
}

TEST_F(DamagedArtifactTest, SaysWhatIsWrongInOneLine) {
  auto changed = [&](size_t at, char value) {
    std::string content = whole;
    content[at] = value;
    return errorOf(content);
  };
  EXPECT_EQ(errorOf(""),
            "m.tandem: got a file of another kind, expected a compiled model");
  EXPECT_EQ(errorOf("PK\x03\x04, surely"),
            "m.tandem: got a file of another kind, expected a compiled model");
  EXPECT_EQ(errorOf("TANDEM"), "m.tandem: got 6 bytes, expected at least 32: "
                               "the file was cut");
  EXPECT_EQ(changed(8, 1), "m.tandem: format: got version 1, expected 3");
  EXPECT_EQ(errorOf(whole.substr(0, 100)),
            fmt::format("m.tandem: got 100 bytes, expected {}: the file was "
                        "cut or changed",
                        whole.size()));
  EXPECT_EQ(changed(33, '!'),
            "m.tandem: header: got a checksum of other content: the file is "
            "damaged");
  std::string damaged = changed(whole.find("decode_1"), '!');
  EXPECT_TRUE(damaged.starts_with("m.tandem: section program: ") &&
              damaged.ends_with(": the file is damaged"))
      << damaged;
}

} // namespace
} // namespace tandem
