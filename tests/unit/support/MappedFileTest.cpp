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
