#pragma once

#include "support/Result.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace tandem {

/// A test with a folder of its own, gone when it ends.
class TemporaryFolderTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tandem-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// Writes a file in the folder and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view content) {
    auto path = folder / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  std::filesystem::path folder;
};

/// The message of a failure, without the folder's path in front of file names;
/// for a success, a text that no message equals.
template <typename T>
std::string messageOf(const Result<T> &result,
                      const std::filesystem::path &folder) {
  if (result)
    return "no error";
  std::string message = result.error().message, prefix = folder.string() + "/";
  for (size_t at; (at = message.find(prefix)) != std::string::npos;)
    message.erase(at, prefix.size());
  return message;
}

} // namespace tandem
