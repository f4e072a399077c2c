// The shape rules of attention and of the ops on the KV cache.

#include "ir/ShapeChecks.h"

using namespace mlir;
using namespace tandem;

namespace {

/// The row inputs that every cache op shares, for `rows` rows.
template <typename Adaptor>
LogicalResult rowOperands(std::optional<Location> location, StringRef op,
                          Adaptor a, int64_t rows) {
  return success(
      succeeded(
          expectShape(location, op, "positions", a.getPositions(), rows)) &&
      succeeded(
          expectShape(location, op, "sequences", a.getSequences(), rows)) &&
      succeeded(
          expectRank(location, op, "block_tables", a.getBlockTables(), 2)) &&
      succeeded(expectShape(location, op, "valid", a.getValid(), 1)));
}

LogicalResult layerInCache(std::optional<Location> location, StringRef op,
                           uint64_t layer, Value cache) {
  auto type = cast<KvCacheType>(cache.getType());
  if (static_cast<int64_t>(layer) < type.getLayers())
    return success();
  return emitOptionalError(location, "'tandem.", op, "' op layer: got ", layer,
                           ", expected less than the cache's ",
                           type.getLayers());
}

} // namespace

FailureOr<Shapes> KvReadOp::inferShapes(std::optional<Location> location,
                                        Adaptor a) {
  int64_t rows = shapeOf(a.getPositions())[0];
  int64_t sequences = a.getNumSequences();
  if (failed(rowOperands(location, "kv_read", a, rows)) ||
      failed(layerInCache(location, "kv_read", a.getLayer(), a.getCache())))
    return failure();
  if (sequences < 1 || ShapedType::isDynamic(rows) || rows % sequences != 0)
    return emitOptionalError(
        location, "'tandem.kv_read' op num_sequences: got ", sequences,
        ", expected a divisor of the ", rows, " rows");
  auto cache = cast<KvCacheType>(a.getCache().getType());
  std::optional<uint64_t> positions = a.getNumPositions();
  return one(
      {cache.getHeads(), sequences,
       positions ? static_cast<int64_t>(*positions) : ShapedType::kDynamic,
       cache.getHeadSize()});
}

FailureOr<Shapes> AttentionOp::inferShapes(std::optional<Location> location,
                                           Adaptor a) {
  SmallVector<int64_t> shape = shapeOf(a.getQ());
  if (failed(expectRank(location, "attention", "q", a.getQ(), 2)) ||
      failed(expectShape(location, "attention", "k", a.getK(), shape)) ||
      failed(expectShape(location, "attention", "v", a.getV(), shape)) ||
      failed(expectShape(location, "attention", "positions", a.getPositions(),
                         shape[0])))
    return failure();
  int64_t heads = a.getHeads();
  if (heads < 1 || shape[1] % heads != 0)
    return emitOptionalError(location, "'tandem.attention' op heads: got ",
                             heads, ", expected a divisor of the width ",
                             shape[1]);
  return one(shape);
}

FailureOr<Shapes>
CachedAttentionOp::inferShapes(std::optional<Location> location, Adaptor a) {
  auto cache = cast<KvCacheType>(a.getCache().getType());
  if (failed(expectRank(location, "cached_attention", "q", a.getQ(), 2)))
    return failure();
  SmallVector<int64_t> shape = shapeOf(a.getQ());
  int64_t width = cache.getHeads() * cache.getHeadSize();
  if (failed(expectShape(location, "cached_attention", "q", a.getQ(),
                         {shape[0], width})) ||
      failed(rowOperands(location, "cached_attention", a, shape[0])) ||
      failed(layerInCache(location, "cached_attention", a.getLayer(),
                          a.getCache())))
    return failure();
  return one(shape);
}

LogicalResult KvAppendOp::verify() {
  KvCacheType cache = getCache().getType();
  int64_t rows = shapeOf(getPositions())[0];
  SmallVector<int64_t> expected = {rows,
                                   cache.getHeads() * cache.getHeadSize()};
  if (failed(expectShape(getLoc(), "kv_append", "keys", getKeys(), expected)) ||
      failed(expectShape(getLoc(), "kv_append", "values", getValues(),
                         expected)) ||
      failed(rowOperands(getLoc(), "kv_append", *this, rows)) ||
      failed(layerInCache(getLoc(), "kv_append", getLayer(), getCache())))
    return failure();
  bool isTensor = isa<TensorType>(getKeys().getType());
  if (isTensor != static_cast<bool>(getResult()))
    return emitOpError("result: got ")
           << (isTensor ? "none" : "one") << ", expected "
           << (isTensor ? "the cache, since values are tensors"
                        : "none, since values are memrefs");
  if (getResult() && getResult().getType() != cache)
    return emitOpError("result: got ")
           << getResult().getType() << ", expected the cache operand's "
           << cache;
  return success();
}
