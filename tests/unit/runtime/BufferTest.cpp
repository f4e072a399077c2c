#include "backend/Buffer.h"
#include "backend/Executable.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace tandem;

TEST(MemoryTracker, KeepsThePeak) {
  MemoryTracker memory;
  ASSERT_TRUE(memory.add(100, "a"));
  ASSERT_TRUE(memory.add(50, "b"));
  memory.remove(100);
  ASSERT_TRUE(memory.add(20, "c"));
  EXPECT_EQ(memory.currentBytes(), 70);
  EXPECT_EQ(memory.peakBytes(), 150);
}

TEST(MemoryTracker, RefusesWhatGoesPastTheLimit) {
  MemoryTracker memory(100);
  ASSERT_TRUE(memory.add(60, "weights"));
  EXPECT_EQ(memory.add(41, "KV cache").error().message,
            "memory: KV cache: got 41 bytes beside 60 in use, expected at most "
            "100 in all");
  EXPECT_EQ(memory.currentBytes(), 60);
  EXPECT_TRUE(memory.add(40, "KV cache"));
}

TEST(Buffer, IsZeroAlignedAndCountedWhileItLives) {
  MemoryTracker memory;
  for (int64_t size : {int64_t(1), int64_t(5000), int64_t(5) << 20}) {
    auto buffer = Buffer::allocate(memory, size, "test");
    ASSERT_TRUE(buffer);
    EXPECT_EQ(buffer->size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 4096, 0u);
    EXPECT_EQ(memory.currentBytes(), size);
    EXPECT_EQ(buffer->data()[0], std::byte(0));
    buffer->data()[size - 1] = std::byte(1);
    Buffer moved = std::move(*buffer);
    EXPECT_EQ(moved.data()[size - 1], std::byte(1));
    EXPECT_EQ(memory.currentBytes(), size);
  }
  EXPECT_EQ(memory.currentBytes(), 0);
}

TEST(Buffer, HasNoAddressWithoutBytes) {
  MemoryTracker memory;
  auto buffer = Buffer::allocate(memory, 0, "test");
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->data(), nullptr);
}

TEST(Buffer, NamesWhatDoesNotFit) {
  MemoryTracker memory(10);
  EXPECT_EQ(Buffer::allocate(memory, 11, "KV cache").error().message,
            "memory: KV cache: got 11 bytes beside 0 in use, expected at most "
            "10 in all");
  MemoryTracker unlimited;
  auto refused = Buffer::allocate(unlimited, int64_t(1) << 60, "KV cache");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("KV cache: got no 1152921504606846976 "
                                         "bytes from the system"),
            std::string::npos)
      << refused.error().message;
  EXPECT_EQ(unlimited.currentBytes(), 0);
}

TEST(Buffer, AdoptsPartOfAFile) {
  auto path = std::filesystem::path(::testing::TempDir()) / "adopted.bin";
  std::ofstream(path) << std::string(64, 'a') << "bcd";
  auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  std::filesystem::remove(path);
  MemoryTracker memory;
  {
    auto buffer = Buffer::adopt(memory, *file, 64, 3, "constants");
    ASSERT_TRUE(buffer) << buffer.error().message;
    EXPECT_EQ(buffer->data()[2], std::byte('d'));
    EXPECT_EQ(memory.currentBytes(), 3);
  }
  EXPECT_EQ(memory.currentBytes(), 0);
  EXPECT_EQ(Buffer::adopt(memory, *file, 64, 4, "constants").error().message,
            "constants: got 67 bytes in the file, expected 4 from byte 64 on");
  EXPECT_EQ(Buffer::adopt(memory, *file, 1, 4, "constants").error().message,
            "constants: got offset 1 in the file, expected a multiple of 64");
}

TEST(Executable, PackedSizesIncludePadding) {
  EXPECT_EQ(storedSizeInBytes({65, 10}, ElementType::F32, Layout::Plain), 4 * 650);
  EXPECT_EQ(storedSizeInBytes({65, 10}, ElementType::F32, Layout::RowPanels), 4 * 128 * 10);
  EXPECT_EQ(storedSizeInBytes({65, 10}, ElementType::F32, Layout::ColumnPanels), 4 * 65 * 64);
}
