#include "support/MappedFile.h"

#include "tests/unit/support/TemporaryFolder.h"

#include <sys/stat.h>

namespace tandem {
namespace {

using MappedFileTest = TemporaryFolderTest;

TEST_F(MappedFileTest, MapsWhatTheFileHolds) {
  auto file = MappedFile::open(write("text", "abc"));
  ASSERT_TRUE(file);
  auto bytes = (*file)->bytes();
  EXPECT_EQ(std::string_view(reinterpret_cast<const char *>(bytes.data()),
                             bytes.size()),
            "abc");
}

TEST_F(MappedFileTest, MapsAnEmptyFileToNoBytes) {
  auto file = MappedFile::open(write("empty", ""));
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->bytes().empty());
}

/// Bytes of this process's memory that are pages of files.
int64_t fileBytesInMemory() {
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0, resident = 0, ofFiles = 0;
  statm >> size >> resident >> ofFiles;
  return ofFiles * 4096;
}

TEST_F(MappedFileTest, ReleasesWhatStaysReadable) {
  std::string text(8 << 20, '.');
  for (size_t i = 0; i < text.size(); i += 100)
    text[i] = static_cast<char>('a' + i / 100 % 26);
  auto file = MappedFile::open(write("text", text));
  ASSERT_TRUE(file);
  auto bytes = (*file)->bytes();
  auto content = [&] {
    return std::string_view(reinterpret_cast<const char *>(bytes.data()),
                            bytes.size());
  };
  EXPECT_EQ(content(), text);
  int64_t before = fileBytesInMemory();
  (*file)->release(bytes.subspan(1000, bytes.size() - 2000));
  EXPECT_LE(fileBytesInMemory(), before - (7 << 20));
  EXPECT_EQ(content(), text);
  (*file)->release(bytes.last(1));
  EXPECT_EQ(content(), text);
}

TEST_F(MappedFileTest, NamesWhatItCannotOpen) {
  EXPECT_EQ(messageOf(MappedFile::open(folder / "absent"), folder),
            "absent: cannot open: No such file or directory");
  std::filesystem::create_directory(folder / "directory");
  EXPECT_EQ(messageOf(MappedFile::open(folder / "directory"), folder),
            "directory: got a directory, expected a file");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(messageOf(MappedFile::open(folder / "pipe"), folder),
            "pipe: got a pipe or device, expected a regular file");
}

} // namespace
} // namespace tandem
