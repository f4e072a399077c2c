#include "backend/kernels/AttentionTile.h"
#include "backend/kernels/CacheShape.h"
#include "backend/kernels/Factories.h"
#include "backend/kernels/Rowwise.h"
#include "backend/kernels/Scratch.h"

namespace tandem {

namespace {

struct AttentionShape {
  int64_t rows = 0, heads = 0, headSize = 0;
  int64_t queryStride = 0, keyStride = 0, valueStride = 0;
  float scale = 1;

  int64_t numTiles() const {
    return (rows + attentionTileRows - 1) / attentionTileRows;
  }
};

/// Calls body(head, rows) for this thread's share of heads and tiles. Later
/// tiles see more keys, so that the threads take turns in both directions.
template <typename Body>
void forEachTile(const AttentionShape &shape, int thread, int numThreads,
                 const Body &body) {
  for (int64_t head = 0; head < shape.heads; ++head)
    for (int64_t tile = 0; tile < shape.numTiles(); ++tile)
      if ((head + tile) % numThreads == thread) {
        int64_t begin = tile * attentionTileRows;
        body(head, {begin, std::min(begin + attentionTileRows, shape.rows)});
      }
}

float *scratchOf(const KernelOperands &operands, int64_t headSize, int thread) {
  return reinterpret_cast<float *>(
      operands.scratch + thread * attentionScratchBytesPerThread(headSize));
}

AttentionRows rowsOf(const AttentionShape &shape, const KernelOperands &o,
                     const int32_t *positions, int64_t head, Range rows) {
  int64_t column = head * shape.headSize;
  int64_t outStride = shape.heads * shape.headSize;
  return {.queries = in(o, 0) + rows.begin * shape.queryStride + column,
          .positions = positions + rows.begin,
          .out = out(o, 0) + rows.begin * outStride + column,
          .rows = rows.size(),
          .headSize = shape.headSize,
          .queryStride = shape.queryStride,
          .outStride = outStride,
          .scale = shape.scale};
}

class AttentionKernel final : public Kernel {
public:
  explicit AttentionKernel(const AttentionShape &shape) : shape(shape) {}

  void run(const KernelOperands &o, int thread, int numThreads) const override {
    float *scratch = scratchOf(o, shape.headSize, thread);
    auto attendTo = [&](int64_t head, Range range) {
      AttentionRows rows = rowsOf(shape, o, in<int32_t>(o, 3), head, range);
      rows.numKeys = shape.rows;
      KeyValueBlocks blocks{
          .keys = in(o, 1) + head * shape.headSize,
          .values = in(o, 2) + head * shape.headSize,
          .keyStride = shape.keyStride,
          .valueStride = shape.valueStride,
          .keyBlockStride = attentionBlockKeys * shape.keyStride,
          .valueBlockStride = attentionBlockKeys * shape.valueStride};
      attend(rows, blocks, scratch);
    };
    forEachTile(shape, thread, numThreads, attendTo);
  }

  std::string_view implementation() const override { return "one pass"; }

private:
  AttentionShape shape;
};

class CachedAttentionKernel final : public Kernel {
public:
  CachedAttentionKernel(const AttentionShape &shape, const CacheOperands &cache)
      : shape(shape), cache(cache) {}

  void run(const KernelOperands &o, int thread, int numThreads) const override {
    float *scratch = scratchOf(o, shape.headSize, thread);
    const auto *sequences = in<int32_t>(o, 3);
    int64_t valid = std::clamp<int64_t>(*in<int32_t>(o, 5), 0, shape.rows);
    auto attendTo = [&](int64_t head, Range tile) {
      int64_t end = std::min(tile.end, valid), row = tile.begin;
      while (row < end) {
        Range run{row, row + 1};
        while (run.end < end && sequences[run.end] == sequences[row])
          ++run.end;
        AttentionRows rows = rowsOf(shape, o, in<int32_t>(o, 2), head, run);
        rows.numKeys = cache.blocksPerSequence * cache.shape.blockSize;
        attend(rows, blocksOf(o, sequences[row], head), scratch);
        row = run.end;
      }
      for (row = std::max(row, tile.begin); row < tile.end; ++row)
        std::fill_n(out(o, 0) + (row * shape.heads + head) * shape.headSize,
                    shape.headSize, 0.0f);
    };
    forEachTile(shape, thread, numThreads, attendTo);
  }

  std::string_view implementation() const override {
    return "one pass over blocks";
  }

private:
  KeyValueBlocks blocksOf(const KernelOperands &o, int64_t sequence,
                          int64_t head) const {
    const CacheShape &c = cache.shape;
    return {.keys = in(o, 1) + c.offset(cache.layer, 0, head),
            .values = in(o, 1) + c.offset(cache.layer, 1, head),
            .keyStride = c.headSize,
            .valueStride = c.headSize,
            .keyBlockStride = c.blockStride(),
            .valueBlockStride = c.blockStride(),
            .table = in<int32_t>(o, 4) + sequence * cache.blocksPerSequence};
  }

  AttentionShape shape;
  CacheOperands cache;
};

} // namespace

/// in q, k, v [N, d] (rows may be apart), positions i32 [N] -> out [N, d].
/// Row i attends to rows 0 to positions[i]. attrs heads, scale
KernelResult createAttention(const KernelSpec &spec) {
  SpecReader reader("attention", spec);
  reader.expectOperands(4, 1);
  const Value &q = reader.view(0, "q", 2), &k = reader.view(1, "k", 2),
              &v = reader.view(2, "v", 2);
  const Value &positions = reader.input(3, "positions", 1, ElementType::I32);
  const Value &result = reader.output(0, "out", 2);
  int64_t heads = reader.integer("heads");
  auto scale = static_cast<float>(reader.real("scale"));
  if (!reader.ok())
    return reader.failure();
  int64_t rows = q.shape[0], columns = q.shape[1];
  reader.expectShape("k", k, q.shape);
  reader.expectShape("v", v, q.shape);
  reader.expectShape("positions", positions, {rows});
  reader.expectShape("out", result, q.shape);
  reader.expectWithin("attribute 'heads'", heads, 1, columns + 1);
  if (reader.ok())
    reader.expectEqual("columns of 'q' modulo heads", columns % heads, 0);
  if (!reader.ok())
    return reader.failure();
  reader.expectScratch(attentionScratchBytesPerThread(columns / heads));
  if (!reader.ok())
    return reader.failure();
  return std::make_unique<AttentionKernel>(
      AttentionShape{.rows = rows,
                     .heads = heads,
                     .headSize = columns / heads,
                     .queryStride = rowStride(q),
                     .keyStride = rowStride(k),
                     .valueStride = rowStride(v),
                     .scale = scale});
}

/// in q [N, d] (rows may be apart), cache, positions [N], sequences [N],
///    block_tables [S, B], valid [1] -> out [N, d].
/// Row i attends to positions 0 to positions[i] of sequence sequences[i]; rows
/// from `valid` on become zeros. attrs layer, scale
KernelResult createCachedAttention(const KernelSpec &spec) {
  SpecReader reader("cached_attention", spec);
  reader.expectOperands(6, 1);
  const Value &q = reader.view(0, "q", 2);
  const Value &result = reader.output(0, "out", 2);
  CacheOperands cache = readCache(reader, 1, 2);
  auto scale = static_cast<float>(reader.real("scale"));
  if (!reader.ok())
    return reader.failure();
  int64_t headSize = cache.shape.headSize,
          columns = cache.shape.heads * headSize;
  reader.expectShape("q", q, {cache.rows, columns});
  reader.expectShape("out", result, {cache.rows, columns});
  reader.expectEqual("dimension 4 of 'cache'", cache.shape.blockSize,
                     attentionBlockKeys);
  reader.expectScratch(attentionScratchBytesPerThread(headSize));
  if (!reader.ok())
    return reader.failure();
  return std::make_unique<CachedAttentionKernel>(
      AttentionShape{.rows = cache.rows,
                     .heads = cache.shape.heads,
                     .headSize = headSize,
                     .queryStride = rowStride(q),
                     .scale = scale},
      cache);
}

} // namespace tandem
