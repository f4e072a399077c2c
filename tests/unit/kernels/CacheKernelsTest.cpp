#include "tests/unit/kernels/KernelCall.h"

#include <cmath>

namespace tandem::testing {

namespace {

constexpr int64_t blocks = 7, layers = 2, heads = 3, headSize = 5;
constexpr int64_t columns = heads * headSize;
constexpr int64_t cacheSize = blocks * layers * 2 * heads * 32 * headSize;

/// Where [block, layer, part, head, slot, 0] is.
int64_t place(int64_t block, int64_t layer, int64_t part, int64_t head,
              int64_t slot) {
  return ((((block * layers + layer) * 2 + part) * heads + head) * 32 + slot) *
         headSize;
}

Value cacheValue() { return floats({blocks, layers, 2, heads, 32, headSize}); }

// Two sequences of three blocks; 6 is free.
Ints tables = {4, 0, 2, 5, 1, 3};

} // namespace

TEST(CacheKernels, AppendWritesValidRowsOnly) {
  int64_t rows = 6;
  Floats k = randomFloats(rows * 3 * columns, 1);
  Floats v = randomFloats(rows * columns, 2);
  Ints positions = {31, 32, 95, 0, 64, 65}, sequences = {0, 0, 1, 1, 1, 1};
  KernelCall call{"kv_append",
                  {cacheValue(), strided({rows, columns}, 3 * columns),
                   floats({rows, columns}), ints({rows}), ints({rows}),
                   ints({2, 3}), ints({1})},
                  {cacheValue()},
                  {{"layer", int64_t(1)}}};
  for (int threads : {1, 2, 3})
    for (int32_t valid : {0, 4, 6}) {
      Floats cache(cacheSize, 7), expected = cache;
      for (int64_t row = 0; row < valid; ++row) {
        int32_t block = tables[sequences[row] * 3 + positions[row] / 32];
        for (int64_t i = 0; i < columns; ++i) {
          int64_t at = positions[row] % 32;
          expected[place(block, 1, 0, i / headSize, at) + i % headSize] =
              k[row * 3 * columns + i];
          expected[place(block, 1, 1, i / headSize, at) + i % headSize] =
              v[row * columns + i];
        }
      }
      call.run({cache.data(), k.data(), v.data(), positions.data(),
                sequences.data(), tables.data(), &valid},
               {cache.data()}, threads);
      EXPECT_EQ(cache, expected);
    }
}

TEST(CacheKernels, ReadGathersTheBlocksOfASequence) {
  int64_t groups = 3, rows = 6;
  Floats cache = randomFloats(cacheSize, 1);
  Ints positions(rows), sequences = {1, 1, 0, 0, 1, 1};
  for (int threads : {1, 2, 3})
    for (int64_t length : {1, 32, 33, 96})
      for (int64_t part : {0, 1})
        for (int32_t valid : {6, 4, 3, 0}) {
          Floats out(heads * groups * length * headSize, NAN);
          KernelCall call{"kv_read",
                          {cacheValue(), ints({rows}), ints({rows}),
                           ints({2, 3}), ints({1})},
                          {floats({heads, groups, length, headSize})},
                          {{"layer", int64_t(1)}, {"part", part}}};
          call.run({cache.data(), positions.data(), sequences.data(),
                    tables.data(), &valid},
                   {out.data()}, threads);
          for (size_t i = 0; i < out.size(); ++i) {
            auto at = static_cast<int64_t>(i) / headSize;
            int64_t position = at % length, group = at / length % groups;
            int64_t head = at / length / groups;
            int32_t block = tables[sequences[group * 2] * 3 + position / 32];
            float expected =
                group * 2 < valid
                    ? cache[place(block, 1, part, head, position % 32) +
                            static_cast<int64_t>(i) % headSize]
                    : 0;
            ASSERT_EQ(out[i], expected);
          }
        }
}

TEST(CacheKernels, RefuseWhatDoesNotFit) {
  KernelCall call{"kv_read",
                  {cacheValue(), ints({6}), ints({6}), ints({2, 3}), ints({1})},
                  {floats({heads, 3, 97, headSize})},
                  {{"layer", int64_t(2)}, {"part", int64_t(0)}}};
  EXPECT_EQ(call.creationError(),
            "kv_read: attribute 'layer': got 2, expected 0 to 1");
  call.attributes["layer"] = int64_t(0);
  EXPECT_EQ(call.creationError(),
            "kv_read: blocks of 'out': got 4, expected 1 to 3");
}

} // namespace tandem::testing
