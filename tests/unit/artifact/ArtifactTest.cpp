#include "runtime/Artifact.h"

#include "backend/ExecutableJson.h"
#include "runtime/ArtifactFile.h"
#include "runtime/InstructionSets.h"
#include "tests/unit/artifact/SmallArtifact.h"
#include "tests/unit/support/TemporaryFolder.h"

#include <algorithm>
#include <csignal>
#include <sys/resource.h>

namespace tandem {
namespace {

/// As if the disk were full after `bytes`, while it lives.
class SmallFilesOnly {
public:
  explicit SmallFilesOnly(rlim_t bytes)
      : handler(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before);
    rlimit limit{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallFilesOnly() {
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }

private:
  void (*handler)(int);
  rlimit before;
};

class ArtifactTest : public TemporaryFolderTest {
protected:
  void SetUp() override {
    TemporaryFolderTest::SetUp();
    path = folder / "m.tandem";
  }

  Result<void> writeIt() {
    contents.origin.plannedBytes = plannedBytesOf(contents);
    return writeSmallArtifact(path, contents);
  }

  std::string contentOf(const std::filesystem::path &file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  ArtifactContents contents = smallContents();
  std::filesystem::path path;
};

TEST_F(ArtifactTest, ReadsWhatWasWritten) {
  ASSERT_EQ(messageOf(writeIt(), folder), "no error");
  auto loaded = readArtifact(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const LoadedArtifact &got = *loaded;
  EXPECT_EQ(toJson(got.executable), toJson(contents.executable));
  ASSERT_TRUE(got.tokenizer);
  auto ids = got.tokenizer->encode("abba<|more|>");
  ASSERT_TRUE(ids) << ids.error().message;
  EXPECT_EQ(*ids, (std::vector<int32_t>{6, 1, 0, 50257}));
  EXPECT_EQ(got.generation, contents.generation);
  EXPECT_EQ(got.origin, contents.origin);
  EXPECT_EQ(got.origin.tandemVersion, tandemVersion());
  EXPECT_TRUE(std::ranges::equal(got.module, contents.module));

  auto constants = loaded->file->bytes().subspan(loaded->constantsOffset,
                                                 got.executable.constantBytes);
  EXPECT_TRUE(std::ranges::equal(constants, constantsOf(contents.executable)));
  EXPECT_EQ(loaded->constantsOffset % 4096, 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(constants.data()) % 4096, 0u);
}

TEST_F(ArtifactTest, NeedsNoTokenizerModuleOrConstants) {
  contents = {};
  contents.executable.model = smallExecutable().model;
  ASSERT_EQ(messageOf(writeIt(), folder), "no error");
  auto loaded = readArtifact(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_FALSE(loaded->tokenizer);
  EXPECT_FALSE(loaded->generation.eosTokens);
  EXPECT_TRUE(loaded->module.empty());
  EXPECT_EQ(loaded->generation, GenerationDefaults());
}

TEST_F(ArtifactTest, ChecksManyBlocksAndNamesTheDamagedOne) {
  contents.executable.constantBytes = 40 * checksumBlockInBytes + 5;
  ASSERT_EQ(messageOf(writeIt(), folder), "no error");
  auto loaded = readArtifact(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  int64_t block =
      loaded->constantsOffset + 17 * static_cast<int64_t>(checksumBlockInBytes);
  loaded = failure("let go");
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(block + 99);
  file.put('!');
  file.close();
  std::string message = messageOf(readArtifact(path), folder);
  EXPECT_EQ(
      message.substr(0, message.find("got")),
      fmt::format("m.tandem: section constants: 1048576 bytes at {}: ", block));
}

TEST_F(ArtifactTest, NamesAnInstructionSetThatIsNotThere) {
  auto host = hostInstructionSets();
  ASSERT_TRUE(host) << host.error().message;
  contents.origin.instructionSets = {*host->begin(), "avx4096"};
  ASSERT_EQ(messageOf(writeIt(), folder), "no error");
  EXPECT_EQ(messageOf(readArtifact(path), folder),
            "m.tandem: origin: instruction sets: got a processor without "
            "\"avx4096\", "
            "expected one that has what the model was compiled for");
  contents.origin.instructionSets = {*host->begin()};
  ASSERT_EQ(messageOf(writeIt(), folder), "no error");
  EXPECT_EQ(messageOf(readArtifact(path), folder), "no error");
}

TEST_F(ArtifactTest, NamesAnotherVersion) {
  contents.origin.tandemVersion = "0.0";
  ASSERT_EQ(messageOf(writeIt(), folder), "no error");
  EXPECT_EQ(messageOf(readArtifact(path), folder),
            fmt::format("m.tandem: origin: tandem_version: got \"0.0\", "
                        "expected \"{}\": compile the model again",
                        tandemVersion()));
}

TEST_F(ArtifactTest, NamesAPlanOfAnotherSize) {
  int64_t planned = ++contents.origin.plannedBytes;
  ASSERT_EQ(messageOf(writeSmallArtifact(path, contents), folder), "no error");
  EXPECT_EQ(messageOf(readArtifact(path), folder),
            fmt::format("m.tandem: planned bytes: got {}, expected the {} that "
                        "it was compiled with",
                        planned - 1, planned));
}

TEST_F(ArtifactTest, TakesConstantsInPieces) {
  auto all = constantsOf(contents.executable);
  auto done = writeArtifact(path, contents, [&](const ByteSink &sink) {
    Result<void> done;
    for (size_t at = 0; at < all.size() && done; at += 100)
      done = sink(
          std::span(all).subspan(at, std::min<size_t>(100, all.size() - at)));
    return done;
  });
  ASSERT_EQ(messageOf(done, folder), "no error");
  std::string inPieces = contentOf(path);
  ASSERT_EQ(messageOf(writeIt(), folder), "no error");
  EXPECT_EQ(contentOf(path), inPieces);
}

TEST_F(ArtifactTest, LeavesNothingWhereConstantsFail) {
  auto writeWith = [&](const ConstantsSource &constants) {
    return messageOf(writeArtifact(path, contents, constants), folder);
  };
  EXPECT_EQ(
      writeWith([](const ByteSink &) { return failure("no such weight"); }),
      "no such weight");
  EXPECT_EQ(writeWith([](const ByteSink &sink) {
              return sink(std::as_bytes(std::span("abc")));
            }),
            "m.tandem: section constants: got 4 bytes, expected 1040");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(ArtifactTest, RefusesToWriteWhatWouldNotLoad) {
  contents.executable.programs[0].steps[0].inputs[0] = 9;
  EXPECT_EQ(messageOf(writeIt(), folder),
            "m.tandem: program: programs[0].steps[0].inputs: got value 9, "
            "expected one of the 9 there are");
  contents = smallContents();
  contents.tokenizer->merges.emplace_back("a", "c");
  EXPECT_EQ(messageOf(writeIt(), folder),
            "m.tandem: tokenizer: merge of 'a' and 'c': got a half that is no "
            "token, expected two tokens");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(ArtifactTest, KeepsTheOldFileWhereWritingFails) {
  ASSERT_EQ(messageOf(writeIt(), folder), "no error");
  std::string before = contentOf(path);
  contents.executable.numThreads = 0;
  EXPECT_EQ(messageOf(writeIt(), folder),
            "m.tandem: program: threads: got 0, expected 1 to 4096");
  EXPECT_EQ(contentOf(path), before);

  contents = smallContents();
  SmallFilesOnly limit(2048);
  EXPECT_EQ(messageOf(writeIt(), folder),
            "m.tandem: cannot write: File too large");
  EXPECT_EQ(contentOf(path), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(ArtifactTest, NamesWhereItCannotWrite) {
  path = folder / "absent" / "m.tandem";
  EXPECT_EQ(messageOf(writeIt(), folder),
            "absent/m.tandem: cannot write: No such file or directory");
  path = folder;
  EXPECT_TRUE(writeIt().error().message.ends_with(
      ": cannot write: got a directory, expected a file"));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(ArtifactTest, ReplacesAFileThatIsInUse) {
  ASSERT_EQ(messageOf(writeIt(), folder), "no error");
  auto loaded = readArtifact(path);
  ASSERT_TRUE(loaded);
  std::string before(
      reinterpret_cast<const char *>(loaded->file->bytes().data()),
      loaded->file->bytes().size());
  contents.origin.source = "another";
  ASSERT_EQ(messageOf(writeIt(), folder), "no error");
  EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(before)),
                                 loaded->file->bytes()));
}

} // namespace
} // namespace tandem
