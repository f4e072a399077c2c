#include "frontend/Safetensors.h"

#include "tests/unit/support/TemporaryFolder.h"

#include <cstring>

namespace tandem {
namespace {

class SafetensorsTest : public TemporaryFolderTest {
protected:
  Result<SafetensorsFile> open(std::string_view header, std::string_view data) {
    std::string length(8, '\0');
    uint64_t size = header.size();
    std::memcpy(length.data(), &size, sizeof(size));
    return SafetensorsFile::open(write(
        "w.safetensors", length + std::string(header) + std::string(data)));
  }
  std::string error(std::string_view header, std::string_view data = "") {
    return messageOf(open(header, data), folder);
  }
};

TEST_F(SafetensorsTest, ShowsTensorsWithoutCopying) {
  auto file = open(R"({"__metadata__": {"format": "pt"},
    "b": {"dtype": "F16", "shape": [2], "data_offsets": [4, 8]},
    "a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
    "none": {"dtype": "BF16", "shape": [0, 3], "data_offsets": [8, 8]}})",
                   std::string("\0\0\x80\x3f\x00\x3c\x00\x40", 8));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->entries().size(), 3u);
  auto b = file->tensor("b");
  ASSERT_TRUE(b);
  EXPECT_EQ(b->type, ElementType::F16);
  EXPECT_EQ(b->shape, std::vector<int64_t>{2});
  auto mapped = file->mapping()->bytes();
  EXPECT_EQ(b->data, mapped.data() + mapped.size() - 4);
  float values[2];
  convertToFloat(*b, values);
  EXPECT_EQ(values[1], 2.0f);
  convertToFloat(*file->tensor("a"), values);
  EXPECT_EQ(values[0], 1.0f);
}

TEST_F(SafetensorsTest, KeepsOtherTypesUntilAskedFor) {
  auto file = open(R"({"mask": {"dtype": "BOOL", "shape": [2],
    "data_offsets": [0, 2]}, "new": {"dtype": "F4", "shape": [2],
    "data_offsets": [2, 3]}})",
                   "xyz");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(messageOf(file->tensor("mask"), folder),
            "w.safetensors: tensor \"mask\": got dtype \"BOOL\", expected F32, "
            "F16 or BF16");
  EXPECT_EQ(messageOf(file->tensor("gone"), folder),
            "w.safetensors: tensor \"gone\": got none of this name");
}

TEST_F(SafetensorsTest, RefusesABadHeader) {
  EXPECT_EQ(
      messageOf(SafetensorsFile::open(write("w.safetensors", "abc")), folder),
      "w.safetensors: got 3 bytes, expected a safetensors file of at "
      "least 8");
  EXPECT_EQ(messageOf(SafetensorsFile::open(write("w.safetensors",
                                                  "\xff\xff\xff\xff\xff\xff\xff"
                                                  "\xff{}")),
                      folder),
            "w.safetensors: header length: got 18446744073709551615, expected "
            "at most 2 in a safetensors file of 10 bytes");
  EXPECT_EQ(error("{,}"), "w.safetensors: header: got text that is not JSON "
                          "(at byte 2), expected a JSON object");
  EXPECT_EQ(error(R"({"a": {}, "a": {}})"),
            "w.safetensors: header: key \"a\": got it twice, expected once");
}

TEST_F(SafetensorsTest, RefusesABadEntry) {
  EXPECT_EQ(error(R"({"a": 1})"),
            "w.safetensors: tensor \"a\": got 1, expected an object");
  EXPECT_EQ(error(R"({"a": {"shape": []}})"),
            "w.safetensors: tensor \"a\": dtype: got none, expected a string");
  EXPECT_EQ(error(R"({"a": {"dtype": "F32"}})"),
            "w.safetensors: tensor \"a\": got no shape, expected a list of "
            "sizes");
  EXPECT_EQ(error(R"({"a": {"dtype": "F32", "shape": [-1]}})"),
            "w.safetensors: tensor \"a\": shape: got [-1], expected a list of "
            "sizes");
  EXPECT_EQ(
      error(R"({"a": {"dtype": "F32", "shape": [], "data_offsets": [0]}})"),
      "w.safetensors: tensor \"a\": data_offsets: got 1 numbers, expected 2");
}

TEST_F(SafetensorsTest, RefusesOffsetsThatDoNotFit) {
  EXPECT_EQ(
      error(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})",
            "1234567"),
      "w.safetensors: tensor \"a\": data_offsets: got [0, 8], expected an "
      "ascending range within the file's 7 bytes of data");
  EXPECT_EQ(
      error(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}})",
            "12345678"),
      "w.safetensors: tensor \"a\": data_offsets: got [8, 0], expected an "
      "ascending range within the file's 8 bytes of data");
  EXPECT_EQ(
      error(R"({"a": {"dtype": "F16", "shape": [3], "data_offsets": [0, 8]}})",
            "12345678"),
      "w.safetensors: tensor \"a\": data_offsets: got 8 bytes, expected 6 for "
      "F16 [3]");
  EXPECT_EQ(error(R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296],
                      "data_offsets": [0, 0]}})"),
            "w.safetensors: tensor \"a\": shape: got [4294967296, 4294967296], "
            "expected a size below 2^63 bytes");
}

TEST_F(SafetensorsTest, RefusesGapsAndOverlaps) {
  constexpr auto two = R"({{
    "a": {{"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}},
    "b": {{"dtype": "U8", "shape": [2], "data_offsets": [{}, {}]}}}})";
  EXPECT_EQ(error(fmt::format(fmt::runtime(two), 1, 3), "123"),
            "w.safetensors: tensor \"b\": data_offsets: got a start at 1, "
            "expected 2, where the tensor before it ends");
  EXPECT_EQ(error(fmt::format(fmt::runtime(two), 3, 5), "12345"),
            "w.safetensors: tensor \"b\": data_offsets: got a start at 3, "
            "expected 2, where the tensor before it ends");
  EXPECT_EQ(error(fmt::format(fmt::runtime(two), 2, 4), "12345"),
            "w.safetensors: got 5 bytes of data, expected 4, where the last "
            "tensor ends");
}

} // namespace
} // namespace tandem
