#include "ConstantStore.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(StreamConstants, HoldsNoMoreThanTheLargest) {
  Store store;
  Executable executable;
  for (int64_t rows : {100, 300, 200}) {
    std::string name = fmt::format("w{}", rows);
    store.addCounting(name, {rows, 64});
    place(executable, {name, {rows, 64}, Layout::RowPanels});
  }
  MemoryTracker memory;
  auto ignore = [](std::span<const std::byte>) { return Result<void>(); };
  auto done = streamConstants(executable, store.weights, memory, 2, ignore);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(memory.peakBytes(), 320 * 64 * 4); // 300 rows in whole panels
  EXPECT_EQ(memory.currentBytes(), 0);
}

TEST(StreamConstants, SaysWhatStandsInTheWay) {
  Store store;
  store.addCounting("a", {10});
  store.addCounting("b", {10});
  Executable executable;
  place(executable, {"a", {10}});
  place(executable, {"b", {10}});
  auto streamed = [&](MemoryTracker &memory, const ByteSink &sink) {
    auto done = streamConstants(executable, store.weights, memory, 1, sink);
    return done ? "" : done.error().message;
  };
  auto ignore = [](std::span<const std::byte>) { return Result<void>(); };
  MemoryTracker memory, little(39);
  EXPECT_EQ(streamed(little, ignore),
            "memory: packed weights: got 40 bytes beside 0 in use, expected at "
            "most 39 in all");
  EXPECT_EQ(streamed(memory,
                     [](std::span<const std::byte>) -> Result<void> {
                       return failure("the disk is full");
                     }),
            "the disk is full");
  executable.constants[1].offset = 20;
  EXPECT_EQ(streamed(memory, ignore), "weight 'b': got offset 20, expected 40 "
                                      "or more, where the one before it ends");
  store.weights.tensors.erase("b");
  EXPECT_EQ(streamed(memory, ignore),
            "weight 'b': got none, expected one of shape [10]");
}

} // namespace
} // namespace tandem
