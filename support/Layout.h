#pragma once

#include "support/TensorView.h"

#include <cstdint>
#include <vector>

namespace tandem {

/// Every buffer and every constant begins at a multiple of this many bytes: a
/// cache line, and the widest vector there is.
inline constexpr int64_t bufferAlignment = 64;

/// How a matrix's elements lie. A linear's weight is cut into panels of
/// `panelColumns` output features, each panel contiguous and streamed in
/// address order, the last one padded with zeros:
///   ColumnPanels of [in, out]: [panels][in / k][panelColumns][k]
///   RowPanels    of [out, in]: the same, as for an embedding table that is the
///                head's weight too
/// with panels = out / panelColumns, rounded up, and k elements of one output
/// feature side by side, which is what the processor's dot products take:
///   f32 1, bf16 2, qint8 4; `in` is padded with zeros to whole depthBlock()s.
/// After all panels of qint8 and qint4 come the scales: f32
/// [panels * panelColumns]. A panel of qint4 is
///   [in / 32] of {step: u8 [panelColumns], elements: u8 [4][panelColumns][4]}
/// where byte j of quad i of a column holds the elements 8 i + j (its low
/// four bits) and 8 i + 4 + j (its high four bits) of the group, each plus 8.
///
/// Plain is row-major: activations, and constants that are no linear's weight.
/// Rows of plain qint8 are padded with zeros to whole depthBlock()s, and the
/// scales come after all rows, one f32 a row. There is no plain qint4.
enum class Layout : uint8_t { Plain, ColumnPanels, RowPanels };
inline constexpr int64_t panelColumns = 64;
inline constexpr int64_t groupSize = 32; // of qint4, along the depth

/// The depth of a packed weight is a multiple of this: what oneDNN's own packed
/// formats of that type have, so that it can read panels.
constexpr int64_t depthBlock(ElementType type) {
  return isQuantized(type) ? 64 : type == ElementType::BF16 ? 32 : 1;
}

constexpr int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Elements from one row of a plain matrix of `columns` to the next.
constexpr int64_t plainRowStride(int64_t columns, ElementType type) {
  return type == ElementType::QInt8 ? roundUp(columns, depthBlock(type))
                                    : columns;
}

/// Bytes of one panel of a weight of `depth` inputs, without its scales.
int64_t panelSizeInBytes(int64_t depth, ElementType type);

/// Bytes from the first panel, or row, to the scales. `shape` is a matrix of a
/// quantised type.
int64_t scalesOffset(const std::vector<int64_t> &shape, ElementType type,
                     Layout layout);

/// Bytes that an array of `shape` takes in `layout`, with padding and scales.
int64_t storedSizeInBytes(const std::vector<int64_t> &shape, ElementType type,
                          Layout layout);

} // namespace tandem
