#include "backend/kernels/Scratch.h"
#include "tests/unit/kernels/KernelCall.h"

#include <cmath>

namespace tandem::testing {

namespace {

/// One row of one head: softmax(scale q k_j) v_j over keys 0 to `last`, with
/// key(j) and value(j) the addresses of [headSize].
template <typename Keys, typename Values>
std::vector<double> attendInDouble(const float *q, int64_t headSize,
                                   int64_t last, double scale, Keys key,
                                   Values value) {
  std::vector<double> weights, result(headSize);
  double most = -INFINITY, sum = 0;
  for (int64_t j = 0; j <= last; ++j) {
    double score = 0;
    for (int64_t d = 0; d < headSize; ++d)
      score += static_cast<double>(q[d]) * key(j)[d];
    weights.push_back(score * scale);
    most = std::max(most, score * scale);
  }
  for (double &w : weights)
    sum += w = std::exp(w - most);
  for (int64_t j = 0; j <= last; ++j)
    for (int64_t d = 0; d < headSize; ++d)
      result[d] += weights[j] / sum * value(j)[d];
  return result;
}

// Values are in [-1, 1] and weights sum to 1: scores of a few units are rounded
// to a few 1e-7, which is what the weights are wrong by.
constexpr double attentionTolerance = 4e-6;

void checkAttention(int64_t rows, int64_t heads, int64_t headSize,
                    int64_t offset, int numThreads) {
  int64_t columns = heads * headSize;
  Floats qkv = randomFloats(rows * 3 * columns, 1);
  Ints positions(rows);
  for (int64_t r = 0; r < rows; ++r)
    positions[r] = static_cast<int32_t>(r + offset);
  Floats out(rows * columns, NAN);
  double scale = 3 / std::sqrt(headSize);
  std::vector<double> expected(out.size());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t h = 0; h < heads; ++h) {
      auto at = [&](int64_t part) {
        return [&, part](int64_t j) {
          return &qkv[(j * 3 + part) * columns + h * headSize];
        };
      };
      auto row = attendInDouble(at(0)(r), headSize,
                                std::min<int64_t>(positions[r], rows - 1),
                                scale, at(1), at(2));
      std::copy(row.begin(), row.end(),
                expected.begin() + r * columns + h * headSize);
    }
  Value view = strided({rows, columns}, 3 * columns);
  KernelCall call{"attention",
                  {view, view, view, ints({rows})},
                  {floats({rows, columns})},
                  {{"heads", heads}, {"scale", scale}},
                  attentionScratchBytesPerThread(headSize)};
  call.run({qkv.data(), qkv.data() + columns, qkv.data() + 2 * columns,
            positions.data()},
           {out.data()}, numThreads);
  expectClose(out, expected, attentionTolerance,
              fmt::format("{} rows, {} heads of {}, on {}", rows, heads,
                          headSize, numThreads));
}

/// Rows of several sequences over a cache with a permuted block table.
struct CachedCase {
  int64_t heads = 0, headSize = 0, blocksPerSequence = 0, numSequences = 0;
  Ints positions, sequences;
  int32_t valid = 0;
};

constexpr int64_t layers = 2, layer = 1;

struct CachedData {
  Floats cache, queries; // queries are the first third of their rows
  Ints tables;

  explicit CachedData(const CachedCase &c) {
    int64_t blocks = c.blocksPerSequence * c.numSequences;
    int64_t columns = c.heads * c.headSize;
    cache = randomFloats(blocks * layers * 2 * columns * 32, 1);
    queries = randomFloats(std::ssize(c.positions) * 3 * columns, 2);
    for (int64_t i = 0; i < blocks; ++i) // 7 divides no count used here
      tables.push_back(static_cast<int32_t>((i * 7 + 3) % blocks));
  }
};

/// Zeros for rows beyond `valid`.
std::vector<double> expectedOf(const CachedCase &c, const CachedData &data,
                               double scale) {
  int64_t columns = c.heads * c.headSize;
  std::vector<double> expected(c.positions.size() * columns);
  for (int64_t r = 0; r < c.valid; ++r)
    for (int64_t h = 0; h < c.heads; ++h) {
      auto at = [&](int64_t part) {
        return [&, part](int64_t j) {
          int64_t block =
              data.tables[c.sequences[r] * c.blocksPerSequence + j / 32];
          int64_t row = ((block * layers + layer) * 2 + part) * c.heads + h;
          return &data.cache[(row * 32 + j % 32) * c.headSize];
        };
      };
      const float *q = &data.queries[r * 3 * columns + h * c.headSize];
      auto row =
          attendInDouble(q, c.headSize, c.positions[r], scale, at(0), at(1));
      std::copy(row.begin(), row.end(),
                expected.begin() + r * columns + h * c.headSize);
    }
  return expected;
}

void checkCached(const CachedCase &c, int numThreads) {
  auto rows = std::ssize(c.positions);
  int64_t columns = c.heads * c.headSize;
  int64_t blocks = c.blocksPerSequence * c.numSequences;
  CachedData data(c);
  Floats out(rows * columns, NAN);
  double scale = 3 / std::sqrt(c.headSize);
  KernelCall call{"cached_attention",
                  {strided({rows, columns}, 3 * columns),
                   floats({blocks, layers, 2, c.heads, 32, c.headSize}),
                   ints({rows}), ints({rows}),
                   ints({c.numSequences, c.blocksPerSequence}), ints({1})},
                  {floats({rows, columns})},
                  {{"layer", layer}, {"scale", scale}},
                  attentionScratchBytesPerThread(c.headSize)};
  auto positions = c.positions, sequences = c.sequences;
  auto valid = c.valid;
  call.run({data.queries.data(), data.cache.data(), positions.data(),
            sequences.data(), data.tables.data(), &valid},
           {out.data()}, numThreads);
  expectClose(out, expectedOf(c, data, scale), attentionTolerance,
              fmt::format("{} rows, {} valid, {} heads of {}, on {}", rows,
                          c.valid, c.heads, c.headSize, numThreads));
}

/// One sequence, rows at `first` and on.
CachedCase consecutive(int64_t rows, int32_t first, int64_t heads,
                       int64_t headSize, int32_t valid) {
  CachedCase c{heads, headSize, (first + rows + 31) / 32, 1, {}, {}, valid};
  for (int64_t r = 0; r < rows; ++r)
    c.positions.push_back(first + static_cast<int32_t>(r));
  c.sequences.resize(rows);
  return c;
}

} // namespace

TEST(Attention, MatchesDouble) {
  for (int64_t rows : {1, 2, 5, 9, 16, 17, 33, 100})
    for (int64_t headSize : {1, 5, 15, 16, 32, 64, 80})
      for (int threads : {1, 2, 3})
        checkAttention(rows, 3, headSize, 0, threads);
}

TEST(Attention, PositionsBeyondTheRowsSeeAllRows) {
  checkAttention(40, 2, 16, 30, 2);
  checkAttention(3, 2, 16, 30, 2);
}

TEST(CachedAttention, OneSequence) {
  for (int64_t rows : {1, 2, 3, 4, 5, 9, 16, 33, 70})
    for (int64_t headSize : {5, 15, 16, 64, 96})
      for (int32_t first : {0, 1, 15, 31, 32, 100})
        for (int threads : {1, 2, 3})
          checkCached(
              consecutive(rows, first, 3, headSize, static_cast<int32_t>(rows)),
              threads);
}

TEST(CachedAttention, RowsBeyondValidAreZeros) {
  for (int32_t valid : {0, 1, 31, 32, 33, 40})
    checkCached(consecutive(70, 20, 2, 16, valid), 2);
  checkCached(consecutive(4, 20, 2, 16, 2), 3);
}

TEST(CachedAttention, SeveralSequences) {
  for (int64_t headSize : {5, 64})
    for (int threads : {1, 2, 3}) {
      CachedCase c{4, headSize, 4, 3, {}, {}, 0};
      c.positions = {100, 3, 64, 65, 66, 67, 68, 127, 0, 31, 90, 12};
      c.sequences = {1, 0, 2, 2, 2, 2, 2, 1, 0, 0, 1, 2};
      for (int32_t valid : {12, 7, 1}) {
        c.valid = valid;
        checkCached(c, threads);
      }
    }
}

TEST(CachedAttention, LongContextAndOneHead) {
  checkCached(consecutive(1, 1000, 1, 64, 1), 2);
  checkCached(consecutive(256, 300, 1, 64, 256), 2);
}

} // namespace tandem::testing
