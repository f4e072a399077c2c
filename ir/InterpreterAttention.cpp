// Attention, and the KV cache behind its block tables.

#include "ir/InterpreterOps.h"

#include <cmath>

using namespace mlir;
using namespace tandem;

void tandem::softmaxInPlace(double *x, int64_t size) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t i = 0; i < size; ++i)
    largest = x[i] > largest || std::isnan(x[i]) ? x[i] : largest;
  for (int64_t i = 0; i < size; ++i)
    sum += x[i] = std::exp(x[i] - largest);
  for (int64_t i = 0; i < size; ++i)
    x[i] /= sum;
}

namespace {

/// Where a position of a sequence lies in the cache.
struct Place {
  int64_t block, slot;
};

/// The row inputs that every cache op shares.
template <typename Op> struct Rows {
  Op op;
  Operands<Op> a;
  const KvCacheState &cache;

  int64_t count() { return a.getPositions()->dim(0); }
  int64_t numValid() {
    return std::clamp<int64_t>(a.getValid()->elements[0], 0, count());
  }
  int64_t position(int64_t row) { return a.getPositions()->elements[row]; }

  /// The block that the sequence of `row` has for `position`, or none where
  /// its table names none of the cache's.
  std::optional<Place> find(int64_t row, int64_t position) {
    const Array &tables = *a.getBlockTables();
    int64_t sequence = a.getSequences()->elements[row];
    int64_t size = cache.type.getBlock(), entry = position / size;
    if (position < 0 || sequence < 0 || sequence >= tables.dim(0) ||
        entry >= tables.dim(1))
      return {};
    int64_t block = tables.elements[sequence * tables.dim(1) + entry];
    if (block < 0 || block >= cache.numBlocks)
      return {};
    return Place{block, position % size};
  }

  /// Valid rows have a position within the cache's, a sequence within the
  /// tables, and blocks for all their positions so far.
  LogicalResult check() {
    for (int64_t row = 0; row < numValid(); ++row) {
      int64_t last = position(row);
      if (last < 0 || last >= cache.type.getPositions())
        return op->emitOpError("positions: got ")
               << last << " in row " << row << ", expected 0 to "
               << cache.type.getPositions() - 1;
      for (int64_t position = 0; position <= last; ++position)
        if (!find(row, position))
          return op->emitOpError("block_tables: got no block for position ")
                 << position << " of row " << row
                 << "'s sequence, expected one of " << cache.numBlocks;
    }
    return success();
  }
};

} // namespace

KvCacheState::KvCacheState(KvCacheType type, int64_t numBlocks)
    : type(type), numBlocks(numBlocks),
      elements(numBlocks * type.getLayers() * 2 * type.getHeads() *
               type.getBlock() * type.getHeadSize()) {}

double *KvCacheState::at(int64_t block, int64_t layer, KvPart part,
                         int64_t head, int64_t slot) {
  int64_t index = block * type.getLayers() + layer;
  index = index * 2 + static_cast<int64_t>(part);
  index = (index * type.getHeads() + head) * type.getBlock() + slot;
  return elements.data() + index * type.getHeadSize();
}

LogicalResult tandem::append(KvAppendOp op, Operands<KvAppendOp> a,
                             KvCacheState &cache) {
  Rows<KvAppendOp> rows{op, a, cache};
  if (failed(rows.check()))
    return failure();
  int64_t heads = cache.type.getHeads(), hd = cache.type.getHeadSize();
  for (int64_t row = 0; row < rows.numValid(); ++row) {
    Place place = *rows.find(row, rows.position(row));
    for (int64_t head = 0; head < heads; ++head) {
      int64_t from = (row * heads + head) * hd;
      std::copy_n(
          &a.getKeys()->elements[from], hd,
          cache.at(place.block, a.getLayer(), KvPart::Key, head, place.slot));
      std::copy_n(
          &a.getValues()->elements[from], hd,
          cache.at(place.block, a.getLayer(), KvPart::Value, head, place.slot));
    }
  }
  return success();
}

/// Past a sequence's own blocks, where every row's mask hides what is read,
/// there are zeros.
Evaluated tandem::evaluate(KvReadOp op, Operands<KvReadOp> a,
                           KvCacheState &cache) {
  Rows<KvReadOp> rows{op, a, cache};
  if (failed(rows.check()))
    return failure();
  int64_t heads = cache.type.getHeads(), hd = cache.type.getHeadSize();
  int64_t sequences = a.getNumSequences(), length = 0;
  for (int64_t row = 0; row < rows.numValid(); ++row)
    length = std::max(length, rows.position(row) + 1);
  if (std::optional<uint64_t> bound = a.getNumPositions()) {
    if (length > static_cast<int64_t>(*bound))
      return op.emitOpError("positions: got ")
             << length - 1 << ", expected less than num_positions, " << *bound;
    length = *bound;
  }
  Array out = Array::zeros({heads, sequences, length, hd});
  for (int64_t s = 0; s < sequences; ++s) {
    int64_t row = s * rows.count() / sequences;
    if (row >= rows.numValid())
      continue;
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t position = 0; position < length; ++position)
        if (std::optional<Place> place = rows.find(row, position))
          std::copy_n(
              cache.at(place->block, a.getLayer(), a.getPart(), head,
                       place->slot),
              hd,
              &out.elements[((head * sequences + s) * length + position) * hd]);
  }
  return std::vector<Array>{out};
}

Evaluated tandem::evaluate(AttentionOp op, Operands<AttentionOp> a) {
  const Array &q = *a.getQ(), &k = *a.getK(), &v = *a.getV();
  int64_t rows = q.dim(0), width = q.dim(1), hd = width / a.getHeads();
  if (failed(expectShape(op, "k", k, q.shape)) ||
      failed(expectShape(op, "v", v, q.shape)) ||
      failed(expectShape(op, "positions", *a.getPositions(), rows)))
    return failure();
  Array out = Array::zeros(q.shape);
  for (int64_t n = 0; n < rows; ++n)
    for (int64_t from = 0; from < width; from += hd) {
      int64_t seen = std::min<int64_t>(rows, a.getPositions()->elements[n] + 1);
      std::vector<double> weight(std::max<int64_t>(seen, 0));
      for (int64_t j = 0; j < seen; ++j)
        for (int64_t i = from; i < from + hd; ++i)
          weight[j] += a.getScale().convertToDouble() *
                       q.elements[n * width + i] * k.elements[j * width + i];
      softmaxInPlace(weight.data(), seen);
      for (int64_t j = 0; j < seen; ++j)
        for (int64_t i = from; i < from + hd; ++i)
          out.elements[n * width + i] += weight[j] * v.elements[j * width + i];
    }
  return std::vector<Array>{out};
}

Evaluated tandem::evaluate(CachedAttentionOp op, Operands<CachedAttentionOp> a,
                           KvCacheState &cache) {
  Rows<CachedAttentionOp> rows{op, a, cache};
  if (failed(rows.check()))
    return failure();
  int64_t heads = cache.type.getHeads(), hd = cache.type.getHeadSize();
  int64_t layer = a.getLayer();
  Array out = Array::zeros(a.getQ()->shape);
  for (int64_t row = 0; row < rows.numValid(); ++row)
    for (int64_t head = 0; head < heads; ++head) {
      const double *q = &a.getQ()->elements[(row * heads + head) * hd];
      std::vector<double> weight(rows.position(row) + 1);
      for (auto [position, w] : llvm::enumerate(weight)) {
        Place place = *rows.find(row, position);
        const double *key =
            cache.at(place.block, layer, KvPart::Key, head, place.slot);
        for (int64_t i = 0; i < hd; ++i)
          w += a.getScale().convertToDouble() * q[i] * key[i];
      }
      softmaxInPlace(weight.data(), weight.size());
      for (auto [position, w] : llvm::enumerate(weight)) {
        Place place = *rows.find(row, position);
        const double *value =
            cache.at(place.block, layer, KvPart::Value, head, place.slot);
        for (int64_t i = 0; i < hd; ++i)
          out.elements[(row * heads + head) * hd + i] += w * value[i];
      }
    }
  return std::vector<Array>{out};
}
