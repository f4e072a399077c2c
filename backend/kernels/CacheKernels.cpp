#include "backend/kernels/CacheShape.h"
#include "backend/kernels/Factories.h"
#include "backend/kernels/Rowwise.h"

#include <cstring>

namespace tandem {

CacheOperands readCache(SpecReader &reader, size_t cache, size_t positions) {
  const Value &blocks = reader.input(cache, "cache", 6);
  const Value &position =
      reader.input(positions, "positions", 1, ElementType::I32);
  const Value &sequences =
      reader.input(positions + 1, "sequences", 1, ElementType::I32);
  const Value &tables =
      reader.input(positions + 2, "block_tables", 2, ElementType::I32);
  const Value &valid =
      reader.input(positions + 3, "valid", 1, ElementType::I32);
  int64_t layer = reader.integer("layer");
  if (!reader.ok())
    return {};
  reader.expectShape("sequences", sequences, position.shape);
  reader.expectShape("valid", valid, {1});
  reader.expectEqual("dimension 2 of 'cache'", blocks.shape[2], 2);
  reader.expectWithin("attribute 'layer'", layer, 0, blocks.shape[1]);
  return {.shape = {.layers = blocks.shape[1],
                    .heads = blocks.shape[3],
                    .blockSize = blocks.shape[4],
                    .headSize = blocks.shape[5]},
          .layer = layer,
          .rows = position.shape[0],
          .blocksPerSequence = tables.shape[1]};
}

namespace {

/// Copies one row's heads into their places in a block.
void appendRow(const CacheOperands &cache, const float *from, float *block,
               int64_t part, int64_t slot) {
  const CacheShape &shape = cache.shape;
  for (int64_t head = 0; head < shape.heads; ++head)
    std::memcpy(block + shape.offset(cache.layer, part, head) +
                    slot * shape.headSize,
                from + head * shape.headSize, shape.headSize * sizeof(float));
}

struct ReadShape {
  CacheOperands cache;
  int64_t part, groups, length, numBlocks;
};

/// Unit of work `unit`: one block of one group of one head.
void readBlock(const ReadShape &read, const KernelOperands &o, int64_t unit) {
  const CacheShape &shape = read.cache.shape;
  int64_t index = unit % read.numBlocks;
  int64_t group = unit / read.numBlocks % read.groups;
  int64_t head = unit / read.numBlocks / read.groups;
  int64_t begin = index * shape.blockSize;
  int64_t count = std::min(shape.blockSize, read.length - begin);
  float *to = out(o, 0) + ((head * read.groups + group) * read.length + begin) *
                              shape.headSize;
  size_t bytes = count * shape.headSize * sizeof(float);
  int64_t row = group * (read.cache.rows / read.groups);
  if (row >= *in<int32_t>(o, 4)) {
    std::memset(to, 0, bytes);
    return;
  }
  int64_t sequence = in<int32_t>(o, 2)[row];
  int64_t entry = sequence * read.cache.blocksPerSequence + index;
  int64_t block = in<int32_t>(o, 3)[entry];
  std::memcpy(to,
              in(o, 0) + block * shape.blockStride() +
                  shape.offset(read.cache.layer, read.part, head),
              bytes);
}

} // namespace

/// in cache, k [N, d], v [N, d] (rows may be apart), positions [N],
///    sequences [N], block_tables [S, B], valid [1] -> out cache, in place.
/// Rows from `valid` on write nothing. attr layer
KernelResult createKvAppend(const KernelSpec &spec) {
  SpecReader reader("kv_append", spec);
  reader.expectOperands(7, 1);
  const Value &k = reader.view(1, "k", 2), &v = reader.view(2, "v", 2);
  const Value &result = reader.output(0, "out", 6);
  CacheOperands cache = readCache(reader, 0, 3);
  if (!reader.ok())
    return reader.failure();
  int64_t columns = cache.shape.heads * cache.shape.headSize;
  reader.expectShape("k", k, {cache.rows, columns});
  reader.expectShape("v", v, {cache.rows, columns});
  reader.expectShape("out", result, spec.inputs[0].shape);
  if (!reader.ok())
    return reader.failure();
  int64_t kStride = rowStride(k), vStride = rowStride(v);
  return rowwise(cache.rows, "copy", [=](const KernelOperands &o, Range rows) {
    int64_t end = std::min<int64_t>(rows.end, *in<int32_t>(o, 6));
    for (int64_t row = rows.begin; row < end; ++row) {
      int64_t position = in<int32_t>(o, 3)[row];
      int64_t sequence = in<int32_t>(o, 4)[row];
      int64_t entry =
          sequence * cache.blocksPerSequence + position / cache.shape.blockSize;
      float *block =
          out(o, 0) + in<int32_t>(o, 5)[entry] * cache.shape.blockStride();
      int64_t slot = position % cache.shape.blockSize;
      appendRow(cache, in(o, 1) + row * kStride, block, 0, slot);
      appendRow(cache, in(o, 2) + row * vStride, block, 1, slot);
    }
  });
}

/// in cache, positions [N], sequences [N], block_tables [S, B], valid [1]
///   -> out [heads, groups, L, headSize]: for group g, rows g * N / groups on,
/// the keys or values of its first row's sequence at positions 0 to L - 1;
/// zeros for a group that starts at or after `valid`.
/// attrs layer, part (0 keys, 1 values)
KernelResult createKvRead(const KernelSpec &spec) {
  SpecReader reader("kv_read", spec);
  reader.expectOperands(5, 1);
  const Value &result = reader.output(0, "out", 4);
  CacheOperands cache = readCache(reader, 0, 1);
  int64_t part = reader.integer("part");
  reader.expectWithin("attribute 'part'", part, 0, 2);
  if (!reader.ok())
    return reader.failure();
  const CacheShape shape = cache.shape;
  int64_t groups = result.shape[1], length = result.shape[2];
  reader.expectShape("out", result,
                     {shape.heads, groups, length, shape.headSize});
  reader.expectEqual("rows modulo groups", cache.rows % groups, 0);
  int64_t numBlocks = (length + shape.blockSize - 1) / shape.blockSize;
  reader.expectWithin("blocks of 'out'", numBlocks, 1,
                      cache.blocksPerSequence + 1);
  if (!reader.ok())
    return reader.failure();
  ReadShape read{cache, part, groups, length, numBlocks};
  return rowwise(shape.heads * groups * numBlocks, "copy",
                 [read](const KernelOperands &o, Range units) {
                   for (int64_t unit = units.begin; unit < units.end; ++unit)
                     readBlock(read, o, unit);
                 });
}

} // namespace tandem
