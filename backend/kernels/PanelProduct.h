#pragma once

#include "backend/kernels/PanelRows.h"
#include "backend/kernels/Scratch.h"

#include <cstdint>

/// At most maxPanelRows rows times one panel of a weight; the panel is read
/// once, in address order, so the speed is that of memory. (support/Layout.h
/// says how panels lie.)
namespace tandem {

/// f32:  x [rows, depth]; panel [depth, 64]; out [rows, 64]
void multiplyPanel(const PanelRows<float> &rows, const std::byte *panel,
                   float *out);

/// bf16: out [rows, 64] in f32
void multiplyPanel(const PanelRows<uint16_t> &rows, const std::byte *panel,
                   float *out);

/// Rows of qint8; from `depth` on they are zero up to the next whole
/// depthBlock(). Products are sums of whole numbers without their scales, exact
/// for a depth of maxQuantizedDepth at most.
using QuantizedRows = PanelRows<int8_t>;
inline constexpr int64_t maxQuantizedDepth = int64_t{1} << 16;

/// qint8: out [rows, 64]
void multiplyPanel(const QuantizedRows &rows, const std::byte *panel,
                   int32_t *out);

/// The same with what a product with unsigned four-bit numbers needs: 8 times
/// the sum of each group of every row.
struct GroupedRows : QuantizedRows {
  const int32_t *groupSums = nullptr; // [rows][groups]
  int64_t groups = 0;                 // from one row's sums to the next

  int32_t sumOf(int64_t row, int64_t k) const {
    return groupSums[row * groups + k / groupSize];
  }
  GroupedRows part(int64_t row, int64_t count, int64_t k, int64_t depth) const {
    return {QuantizedRows::part(row, count, k, depth),
            groupSums + row * groups + k / groupSize, groups};
  }
};

/// `sums` has room for rows.rows * groups of the depth, and outlives the
/// result.
GroupedRows withGroupSums(const QuantizedRows &rows, int32_t *sums);

/// qint4: out [rows, 64], the steps of the groups included
void multiplyPanel(const GroupedRows &rows, const std::byte *panel,
                   int32_t *out);

/// A panel of qint4 as one of qint8: every element times its step.
void expandPanel(const std::byte *panel, int64_t depth, std::byte *out);

} // namespace tandem
