#include "runtime/ExternalBuffers.h"

#include <gtest/gtest.h>

using namespace tandem;

namespace {

PortSizes sizesOf(int64_t tokens, int64_t logits) {
  PortSizes sizes = {};
  sizes[static_cast<size_t>(Port::Tokens)] = tokens;
  sizes[static_cast<size_t>(Port::Logits)] = logits;
  return sizes;
}

} // namespace

TEST(ExternalBuffers, GrowAndNeverShrink) {
  MemoryTracker memory;
  ExternalBuffers buffers;
  ASSERT_TRUE(buffers.reserve(memory, sizesOf(16, 40)));
  ASSERT_TRUE(buffers.reserve(memory, sizesOf(8, 400)));
  EXPECT_EQ(buffers.sizeInBytes(Port::Tokens), 16);
  EXPECT_EQ(buffers.floats(Port::Logits).size(), 100u);
  // The old 40 bytes were gone before the new ones were in use.
  EXPECT_EQ(memory.currentBytes(), 416);
  EXPECT_EQ(memory.peakBytes(), 416);
  EXPECT_EQ(buffers.addresses()[static_cast<size_t>(Port::Valid)], nullptr);
}

TEST(ExternalBuffers, AreUsableAfterAGrowthThatWasRefused) {
  MemoryTracker memory(100);
  ExternalBuffers buffers;
  ASSERT_TRUE(buffers.reserve(memory, sizesOf(16, 40)));
  buffers.floats(Port::Logits)[9] = 3;
  EXPECT_EQ(buffers.reserve(memory, sizesOf(24, 80)).error().message,
            "memory: logits: got 40 bytes beside 64 in use, expected at most "
            "100 in all");
  EXPECT_EQ(buffers.sizeInBytes(Port::Tokens), 24);
  EXPECT_EQ(buffers.floats(Port::Logits)[9], 3); // as it was
  EXPECT_EQ(memory.currentBytes(), 64);
  ASSERT_TRUE(buffers.reserve(memory, sizesOf(24, 76)));
  EXPECT_EQ(memory.currentBytes(), 100);
}
