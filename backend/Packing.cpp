#include "backend/Packing.h"

#include "backend/PackNarrow.h"

#include <algorithm>
#include <thread>

namespace tandem {

void load(const SourceBlock &block, float *out) {
  const Source &source = block.source;
  // Whole rows are one piece.
  bool isWhole = block.columns == source.columns;
  int64_t pieces = isWhole ? 1 : block.count;
  int64_t size = isWhole ? block.count * block.columns : block.columns;
  int64_t elementBytes = sizeInBytes(source.tensor.type);
  for (int64_t i = 0; i < pieces; ++i)
    convertToFloat(
        {source.tensor.type,
         {size},
         source.bytes(block.begin + i, 1).data() + block.column * elementBytes},
        out + i * size);
}

namespace {

/// `count` rows as f32, one after another.
void loadRows(const Source &source, int64_t begin, int64_t count, float *out) {
  load({source, begin, count, 0, source.columns}, out);
}

/// Rows `begin` to `end`, exclusive, of a source, to where they lie.
void copyRows(const Packing &packing, const Source &source, int64_t begin,
              int64_t end, float *out) {
  out += source.firstRow * packing.columns;
  if (source.columns == packing.columns)
    return loadRows(source, begin, end - begin, out + begin * packing.columns);
  for (int64_t row = begin; row < end; ++row)
    loadRows(source, row, 1, out + row * packing.columns + source.firstColumn);
}

/// [in, out] to [out / panelColumns][in][panelColumns]: a row goes to as many
/// panels as it has pieces.
void packColumns(const Packing &packing, const Source &source, int64_t begin,
                 int64_t end, float *out) {
  std::vector<float> row(source.columns);
  for (int64_t i = begin; i < end; ++i) {
    loadRows(source, i, 1, row.data());
    for (int64_t j = 0, width; j < source.columns; j += width) {
      int64_t k = source.firstRow + i, n = source.firstColumn + j;
      width = std::min(panelColumns - n % panelColumns, source.columns - j);
      std::copy_n(row.data() + j, width,
                  out + (n / panelColumns * packing.rows + k) * panelColumns +
                      n % panelColumns);
    }
  }
}

/// [out, in] to [out / panelColumns][in][panelColumns]: the rows of a panel,
/// transposed in squares that stay in the nearest cache.
void packRows(const Packing &packing, const Source &source, int64_t begin,
              int64_t end, float *out) {
  constexpr int64_t square = 16;
  int64_t depth = source.columns;
  std::vector<float> rows(panelColumns * depth);
  for (int64_t i = begin, count; i < end; i += count) {
    int64_t n = source.firstRow + i;
    count = std::min(panelColumns - n % panelColumns, end - i);
    loadRows(source, i, count, rows.data());
    float *to = out +
                (n / panelColumns * packing.columns + source.firstColumn) *
                    panelColumns +
                n % panelColumns;
    for (int64_t k0 = 0; k0 < depth; k0 += square)
      for (int64_t j = 0; j < count; ++j)
        for (int64_t k = k0; k < std::min(k0 + square, depth); ++k)
          to[k * panelColumns + j] = rows[j * depth + k];
  }
}

/// Share `share` of `shares` of one source, as f32.
void packShare(const Packing &packing, const Source &source,
               const WeightStore &store, float *out, int64_t share,
               int64_t shares) {
  // Rows by the panel, so that no two threads write into the same lines.
  int64_t unit = packing.layout == Layout::RowPanels ? panelColumns : 1;
  int64_t units = (source.rows + unit - 1) / unit;
  int64_t begin = units * share / shares * unit;
  int64_t end = std::min(units * (share + 1) / shares * unit, source.rows);
  switch (packing.layout) {
  case Layout::Plain:
    copyRows(packing, source, begin, end, out);
    break;
  case Layout::ColumnPanels:
    packColumns(packing, source, begin, end, out);
    break;
  case Layout::RowPanels:
    packRows(packing, source, begin, end, out);
    break;
  }
  store.release(source.bytes(begin, end - begin));
}

} // namespace

void pack(const Packing &packing, const WeightStore &store, std::byte *out,
          int numThreads) {
  constexpr int64_t bytesWorthAThread = 1 << 18;
  int64_t shares = std::clamp<int64_t>(packing.sizeInBytes / bytesWorthAThread,
                                       1, numThreads);
  bool isNarrow = packing.type != ElementType::F32;
  auto work = [&](int64_t share) {
    if (isNarrow)
      return packNarrowShare(packing, out, share, shares);
    for (const Source &source : packing.sources)
      packShare(packing, source, store, reinterpret_cast<float *>(out), share,
                shares);
  };
  {
    std::vector<std::jthread> others;
    for (int64_t share = 1; share < shares; ++share)
      others.emplace_back(work, share);
    work(0);
  }
  if (isNarrow) // a panel of columns has read some of every row
    for (const Source &source : packing.sources)
      store.release(source.bytes(0, source.rows));
}

} // namespace tandem
