#include "backend/kernels/AttentionTile.h"

#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/Scratch.h"
#include "backend/kernels/VectorMath.h"

#include <algorithm>
#include <limits>

/// Rows lie along the lanes: scores are [key][row], so that the largest and the
/// sum over keys need no work across lanes, and keys are read as they lie.
namespace tandem {

using namespace vectors;

namespace {

constexpr int64_t tileRows = attentionTileRows;
constexpr int64_t blockKeys = attentionBlockKeys;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// What a tile keeps between blocks; lanes beyond its rows hold harmless
/// values.
struct TileState {
  float *queries;                 // [headSize][tileRows], scaled
  float *sums;                    // [tileRows][padded head size]
  float *values;                  // [blockKeys][padded head size]
  float *weights;                 // [blockKeys][tileRows]
  float *largest, *total, *decay; // [tileRows]
  int64_t padded;

  TileState(float *scratch, int64_t headSize)
      : padded((headSize + lanes - 1) / lanes * lanes) {
    auto take = [&](int64_t count) {
      float *taken = scratch;
      scratch += count;
      return taken;
    };
    queries = take(tileRows * padded);
    sums = take(tileRows * padded);
    values = take(blockKeys * padded);
    weights = take(blockKeys * tileRows);
    largest = take(tileRows);
    total = take(tileRows);
    decay = take(tileRows);
  }
};

void beginTile(const AttentionRows &rows, const TileState &state) {
  std::fill_n(state.queries, tileRows * state.padded, 0.0f);
  std::fill_n(state.sums, tileRows * state.padded, 0.0f);
  std::fill_n(state.largest, tileRows, -infinity);
  std::fill_n(state.total, tileRows, 0.0f);
  for (int64_t row = 0; row < rows.rows; ++row)
    for (int64_t d = 0; d < rows.headSize; ++d)
      state.queries[d * tileRows + row] =
          rows.queries[row * rows.queryStride + d] * rows.scale;
}

/// weights[key][row] = query of row times key, for `count` keys. Meanwhile asks
/// for `step` floats from `ahead` on at every element of the head.
template <int64_t count, int64_t rowVectors>
[[gnu::always_inline]] inline void
scoreKeys(const TileState &state, const float *keys, int64_t stride,
          int64_t headSize, float *weights, const float *ahead, int64_t step) {
  Floats16 sums[count][rowVectors] = {};
  for (int64_t d = 0; d < headSize; ++d) {
    __builtin_prefetch(ahead + d * step, 0, 2);
    for (int64_t r = 0; r < rowVectors; ++r) {
      Floats16 query = load(state.queries + d * tileRows + r * lanes);
      for (int64_t key = 0; key < count; ++key)
        sums[key][r] += keys[key * stride + d] * query;
    }
  }
  for (int64_t key = 0; key < count; ++key)
    for (int64_t r = 0; r < rowVectors; ++r)
      store(weights + key * tileRows + r * lanes, sums[key][r]);
}

/// What is read after a block: 16 rows of keys or values are fetched with every
/// 8 keys, so that all is there in time. Step 0 if rows are not contiguous.
struct NextBlock {
  const float *keys, *values;
  int64_t step;
};

template <int64_t rowVectors>
[[gnu::always_inline]] inline void
scoreBlock(const TileState &state, const float *keys, int64_t stride,
           int64_t headSize, int64_t count, const NextBlock &next) {
  constexpr int64_t keysAtOnce = 8;
  int64_t key = 0;
  for (; key + keysAtOnce <= count; key += keysAtOnce) {
    const float *ahead = key < blockKeys / 2 ? next.keys : next.values;
    ahead += key % (blockKeys / 2) * 2 * headSize;
    scoreKeys<keysAtOnce, rowVectors>(state, keys + key * stride, stride,
                                      headSize, state.weights + key * tileRows,
                                      ahead, next.step);
  }
  for (; key < count; ++key)
    scoreKeys<1, rowVectors>(state, keys + key * stride, stride, headSize,
                             state.weights + key * tileRows, keys, 0);
}

/// Scores of 16 rows become weights; keys from `firstKey` on.
[[gnu::always_inline]] inline void weighBlock(const AttentionRows &rows,
                                              const TileState &state,
                                              int64_t firstRow,
                                              int64_t firstKey, int64_t count) {
  Ints16 lastKey{};
  bool masked = false;
  for (int64_t i = 0; i < lanes; ++i) {
    int64_t row = firstRow + i;
    lastKey[i] = row < rows.rows ? rows.positions[row] - firstKey : blockKeys;
    masked |= lastKey[i] < count - 1;
  }
  float *weights = state.weights + firstRow;
  if (masked)
    for (int64_t key = 0; key < count; ++key) {
      Floats16 score = load(weights + key * tileRows);
      score =
          lastKey < static_cast<int32_t>(key) ? broadcast(-infinity) : score;
      store(weights + key * tileRows, score);
    }
  Floats16 before = load(state.largest + firstRow), most = before;
  Floats16 other = before; // two chains, each as long as its latencies
  int64_t key = 0;
  for (; key + 2 <= count; key += 2) {
    most = larger(most, load(weights + key * tileRows));
    other = larger(other, load(weights + (key + 1) * tileRows));
  }
  if (key < count)
    most = larger(most, load(weights + key * tileRows));
  most = larger(most, other);
  Floats16 decay = expOfNegative(before - most);
  Floats16 total = load(state.total + firstRow) * decay;
  for (key = 0; key < count; ++key) {
    Floats16 weight = expOfNegative(load(weights + key * tileRows) - most);
    total += weight;
    store(weights + key * tileRows, weight);
  }
  store(state.largest + firstRow, most);
  store(state.total + firstRow, total);
  store(state.decay + firstRow, decay);
}

/// sums[row] = sums[row] decay[row] + weights[.][row] values, for four rows and
/// `width` vectors of columns.
template <int64_t width>
[[gnu::always_inline]] inline void
addValues(const TileState &state, int64_t row, int64_t column,
          const float *values, int64_t stride, int64_t count) {
  Floats16 sums[4][width];
  float *at = state.sums + row * state.padded + column;
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < width; ++c)
      sums[r][c] =
          load(at + r * state.padded + c * lanes) * state.decay[row + r];
  for (int64_t key = 0; key < count; ++key)
    for (int64_t c = 0; c < width; ++c) {
      Floats16 value = load(values + key * stride + column + c * lanes);
      for (int64_t r = 0; r < 4; ++r)
        sums[r][c] += state.weights[key * tileRows + row + r] * value;
    }
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < width; ++c)
      store(at + r * state.padded + c * lanes, sums[r][c]);
}

[[gnu::always_inline]] inline void addBlock(const AttentionRows &rows,
                                            const TileState &state,
                                            const float *values, int64_t stride,
                                            int64_t count) {
  if (state.padded != rows.headSize) {
    for (int64_t key = 0; key < count; ++key)
      for (int64_t d = 0; d < state.padded; ++d)
        state.values[key * state.padded + d] =
            d < rows.headSize ? values[key * stride + d] : 0.0f;
    values = state.values;
    stride = state.padded;
  }
  for (int64_t row = 0; row < rows.rows; row += 4) {
    int64_t column = 0;
    for (; column + 4 * lanes <= state.padded; column += 4 * lanes)
      addValues<4>(state, row, column, values, stride, count);
    for (; column < state.padded; column += lanes)
      addValues<1>(state, row, column, values, stride, count);
  }
}

[[gnu::always_inline]] inline void endTile(const AttentionRows &rows,
                                           const TileState &state) {
  for (int64_t row = 0; row < rows.rows; ++row) {
    float factor = 1.0f / state.total[row];
    const float *sums = state.sums + row * state.padded;
    for (int64_t d = 0; d < rows.headSize; ++d)
      rows.out[row * rows.outStride + d] = sums[d] * factor;
  }
}

[[gnu::always_inline]] inline void attendTileBody(const AttentionRows &rows,
                                                  const KeyValueBlocks &blocks,
                                                  float *scratch) {
  TileState state(scratch, rows.headSize);
  beginTile(rows, state);
  int64_t last = *std::max_element(rows.positions, rows.positions + rows.rows);
  int64_t numKeys = std::min(last + 1, rows.numKeys);
  for (int64_t key = 0; key < numKeys; key += blockKeys) {
    int64_t count = std::min(blockKeys, numKeys - key);
    int64_t block = key / blockKeys;
    bool wide = rows.rows > lanes;
    bool ahead = key + blockKeys < numKeys && blocks.keyStride == rows.headSize;
    NextBlock next{blocks.keyBlock(block + ahead),
                   blocks.valueBlock(block + ahead), ahead ? lanes : 0};
    if (wide)
      scoreBlock<2>(state, blocks.keyBlock(block), blocks.keyStride,
                    rows.headSize, count, next);
    else
      scoreBlock<1>(state, blocks.keyBlock(block), blocks.keyStride,
                    rows.headSize, count, next);
    weighBlock(rows, state, 0, key, count);
    if (wide)
      weighBlock(rows, state, lanes, key, count);
    addBlock(rows, state, blocks.valueBlock(block), blocks.valueStride, count);
  }
  endTile(rows, state);
}

} // namespace

void attendTile(const AttentionRows &rows, const KeyValueBlocks &blocks,
                float *scratch) {
  MultiVersion<attendTileBody>::call(rows, blocks, scratch);
}

} // namespace tandem
