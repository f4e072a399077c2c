#include "frontend/SafetensorsWriter.h"

#include "frontend/Safetensors.h"
#include "tests/unit/support/TemporaryFolder.h"

namespace tandem {
namespace {

using SafetensorsWriterTest = TemporaryFolderTest;

const std::vector<TensorShape> shapes{{"a", {2, 2}}, {"b", {}}};

TEST_F(SafetensorsWriterTest, WritesWhatTheReaderReads) {
  auto path = folder / "w.safetensors";
  std::vector<float> a{1, 2, 3, 4}, b{5};
  std::vector<NamedTensor> tensors{{shapes[0], a}, {shapes[1], b}};
  ASSERT_TRUE(writeSafetensors(path, tensors));
  auto file = SafetensorsFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  auto view = file->tensor("a");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->shape, (std::vector<int64_t>{2, 2}));
  std::vector<float> values(4);
  convertToFloat(*view, values.data());
  EXPECT_EQ(values, a);
  convertToFloat(*file->tensor("b"), values.data());
  EXPECT_EQ(values[0], 5.0f);
}

TEST_F(SafetensorsWriterTest, TakesPiecesOfAnyLength) {
  auto path = folder / "w.safetensors";
  auto writer = SafetensorsWriter::create(path, shapes);
  ASSERT_TRUE(writer);
  std::vector<float> first{1, 2, 3}, second{4, 5};
  ASSERT_TRUE(writer->append(first));
  ASSERT_TRUE(writer->append(second));
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(writer->finish());
  float value;
  convertToFloat(*SafetensorsFile::open(path)->tensor("b"), &value);
  EXPECT_EQ(value, 5.0f);
}

TEST_F(SafetensorsWriterTest, LeavesNothingBehindUnlessComplete) {
  auto path = folder / "w.safetensors";
  {
    auto writer = SafetensorsWriter::create(path, shapes);
    ASSERT_TRUE(writer);
    std::vector<float> values(3);
    ASSERT_TRUE(writer->append(values));
    EXPECT_EQ(messageOf(writer->finish(), folder),
              "w.safetensors: got 2 values too few");
    EXPECT_EQ(messageOf(writer->append(values), folder),
              "w.safetensors: got 3 more values, expected 2");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(SafetensorsWriterTest, NamesWhatItCannotWrite) {
  EXPECT_EQ(
      messageOf(SafetensorsWriter::create(folder / "no/w", shapes), folder),
      "no/w: cannot write: No such file or directory");
  std::filesystem::create_directory(folder / "w");
  EXPECT_EQ(messageOf(SafetensorsWriter::create(folder / "w", shapes), folder),
            "w: cannot write: got a directory, expected a file");
  std::vector<TensorShape> twice{{"a", {1}}, {"a", {1}}};
  EXPECT_EQ(messageOf(SafetensorsWriter::create(folder / "v", twice), folder),
            "v: tensor \"a\": got this name twice, expected once");
}

} // namespace
} // namespace tandem
