#include "backend/kernels/AttentionTile.h"

#include "backend/kernels/MultiVersion.h"
#include "backend/kernels/Scratch.h"
#include "backend/kernels/VectorMath.h"

#include <algorithm>
#include <limits>

/// Few rows: keys lie along the lanes of a row's scores, the head along the
/// lanes of everything else, so that keys and values stream as they lie. Memory
/// is the limit, so while one block is worked on the next one is fetched, a
/// little at every key. The head size is a multiple of 16.
namespace tandem {

using namespace vectors;

namespace {

constexpr int64_t blockKeys = attentionBlockKeys;
constexpr float infinity = std::numeric_limits<float>::infinity();

struct RowState {
  float *query;                 // [headSize], scaled
  float *sums;                  // [headSize]
  Floats16 largest, total = {}; // the first in all lanes; the sum of the second
};

/// What is read next, in address order: `step` floats are asked for at a time.
struct Fetch {
  const float *at;
  int64_t step;

  [[gnu::always_inline]] void next() {
    for (int64_t i = 0; i < step; i += lanes)
      __builtin_prefetch(at + i, 0, 2);
    at += step;
  }
};

/// One block as all rows see it.
struct Block {
  const float *keys, *values;
  int64_t keyStride, valueStride, headSize;
};

/// scores[16] of keys `first` on; keys from `count` on repeat the last.
[[gnu::always_inline]] inline Floats16
scoreSixteen(const float *query, const Block &block, int64_t first,
             int64_t count, Fetch &fetch) {
  Floats16 products[lanes];
  for (int64_t i = 0; i < lanes; ++i) {
    const float *key =
        block.keys + std::min(first + i, count - 1) * block.keyStride;
    fetch.next();
    Floats16 sum = load(query) * load(key);
    for (int64_t d = lanes; d < block.headSize; d += lanes)
      sum += load(query + d) * load(key + d);
    products[i] = sum;
  }
  return sumEach(products);
}

/// sums = sums decay + weights values, for `width` vectors of columns.
template <int64_t width>
[[gnu::always_inline]] inline void
addValues(float *sums, Floats16 decay, const float *weights,
          const float *values, int64_t stride, int64_t count, Fetch &fetch) {
  Floats16 total[width];
  for (int64_t c = 0; c < width; ++c)
    total[c] = load(sums + c * lanes) * decay;
  for (int64_t key = 0; key < count; ++key) {
    fetch.next();
    for (int64_t c = 0; c < width; ++c)
      total[c] += weights[key] * load(values + key * stride + c * lanes);
  }
  for (int64_t c = 0; c < width; ++c)
    store(sums + c * lanes, total[c]);
}

/// Adds a block of which the row sees the first `count` keys, at least one.
[[gnu::always_inline]] inline void addBlock(RowState &row, const Block &block,
                                            int64_t count, Fetch &nextKeys,
                                            Fetch &nextValues) {
  Ints16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  auto visible = static_cast<int32_t>(count);
  Floats16 low = scoreSixteen(row.query, block, 0, count, nextKeys);
  Floats16 high = low;
  if (count > lanes)
    high = scoreSixteen(row.query, block, lanes, count, nextKeys);
  low = lane < visible ? low : broadcast(-infinity);
  high = lane + 16 < visible ? high : broadcast(-infinity);
  Floats16 most = larger(row.largest, largest(larger(low, high)));
  alignas(64) float weights[blockKeys];
  low = expOfNegative(low - most);
  high = expOfNegative(high - most);
  store(weights, low);
  store(weights + lanes, high);
  Floats16 decay = expOfNegative(row.largest - most);
  row.total = row.total * decay + (low + high);
  row.largest = most;
  int64_t column = 0;
  Fetch nothing{block.values, 0};
  for (; column + 4 * lanes <= block.headSize; column += 4 * lanes)
    addValues<4>(row.sums + column, decay, weights, block.values + column,
                 block.valueStride, count, column ? nothing : nextValues);
  for (; column < block.headSize; column += lanes)
    addValues<1>(row.sums + column, decay, weights, block.values + column,
                 block.valueStride, count, column ? nothing : nextValues);
}

[[gnu::always_inline]] inline void attendRowsBody(const AttentionRows &rows,
                                                  const KeyValueBlocks &blocks,
                                                  float *scratch) {
  RowState states[maxSingleRows];
  int64_t numKeys = 0;
  for (int64_t r = 0; r < rows.rows; ++r) {
    states[r].query = scratch + r * 2 * rows.headSize;
    states[r].sums = states[r].query + rows.headSize;
    states[r].largest = broadcast(-infinity);
    for (int64_t d = 0; d < rows.headSize; ++d) {
      states[r].query[d] = rows.queries[r * rows.queryStride + d] * rows.scale;
      states[r].sums[d] = 0;
    }
    numKeys = std::max<int64_t>(numKeys, rows.positions[r] + 1);
  }
  numKeys = std::min(numKeys, rows.numKeys);
  int64_t last = (numKeys - 1) / blockKeys;
  for (int64_t b = 0; b <= last; ++b) {
    Block block{blocks.keyBlock(b), blocks.valueBlock(b), blocks.keyStride,
                blocks.valueStride, rows.headSize};
    // Rows share the fetching; strided keys are few and fetched by the rows.
    bool ahead = b < last && blocks.keyStride == rows.headSize;
    int64_t step = ahead ? rows.headSize / rows.rows : 0, next = b + ahead;
    Fetch nextKeys{blocks.keyBlock(next), step};
    Fetch nextValues{blocks.valueBlock(next), step};
    for (int64_t r = 0; r < rows.rows; ++r) {
      int64_t visible =
          std::min<int64_t>(rows.positions[r] + 1, numKeys) - b * blockKeys;
      if (visible > 0)
        addBlock(states[r], block, std::min(visible, blockKeys), nextKeys,
                 nextValues);
    }
  }
  for (int64_t r = 0; r < rows.rows; ++r) {
    float factor = 1.0f / sum(states[r].total);
    for (int64_t d = 0; d < rows.headSize; ++d)
      rows.out[r * rows.outStride + d] = states[r].sums[d] * factor;
  }
}

} // namespace

void attendRows(const AttentionRows &rows, const KeyValueBlocks &blocks,
                float *scratch) {
  MultiVersion<attendRowsBody>::call(rows, blocks, scratch);
}

void attend(const AttentionRows &rows, const KeyValueBlocks &blocks,
            float *scratch) {
  if (rows.rows <= maxSingleRows && rows.headSize % lanes == 0)
    attendRows(rows, blocks, scratch);
  else
    attendTile(rows, blocks, scratch);
}

} // namespace tandem
