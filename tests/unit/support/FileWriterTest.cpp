#include "support/FileWriter.h"

#include "tests/unit/support/TemporaryFolder.h"

#include <algorithm>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem {
namespace {

class FileWriterTest : public TemporaryFolderTest {
protected:
  std::string contents(std::string_view name) {
    std::ifstream file(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(FileWriterTest, AppearsWhenItIsCommitted) {
  auto file = FileWriter::create(folder / "new");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->write("all"));
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(contents("new"), "all");
  EXPECT_EQ(names(), std::vector<std::string>{"new"});
}

TEST_F(FileWriterTest, ReplacesAFileAndWhatALinkLeadsTo) {
  write("old", "old");
  std::filesystem::create_symlink("old", folder / "link");
  for (const char *name : {"old", "link"}) {
    auto file = FileWriter::create(folder / name);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->write(name));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(contents("old"), name);
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(names(), (std::vector<std::string>{"link", "old"}));
}

TEST_F(FileWriterTest, LeavesTheOldFileUnlessCommitted) {
  write("old", "old");
  {
    auto file = FileWriter::create(folder / "old");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("new"));
  }
  EXPECT_EQ(contents("old"), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"old"});
}

TEST_F(FileWriterTest, LeavesNothingWhereItsProcessIsKilled) {
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto file = FileWriter::create(folder / "half");
    bool written = file && file->write("half");
    ::raise(SIGKILL);
    ::_exit(written);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST_F(FileWriterTest, KnowsItsTemporaryNames) {
  EXPECT_TRUE(FileWriter::isLeftover("folder/model.safetensors.partial-17"));
  for (const char *name : {"model.safetensors", "a.partial-", "a.partial-1b",
                           "folder.partial-1/a"})
    EXPECT_FALSE(FileWriter::isLeftover(name)) << name;
}

} // namespace
} // namespace tandem
