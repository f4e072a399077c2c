#pragma once

#include <cstdint>
#include <vector>

namespace tandem {

/// Every buffer and every constant begins at a multiple of this many bytes: a
/// cache line, and the widest vector there is.
inline constexpr int64_t bufferAlignment = 64;

/// How a constant's elements lie. A linear's weight is cut into panels of
/// `panelColumns` output features, each panel contiguous and streamed in
/// address order, the last one padded with zeros:
///   ColumnPanels of [in, out]: [panels][in][panelColumns]
///   RowPanels    of [out, in]: [panels][in][panelColumns], as for an embedding
///                table that is the head's weight too
/// with panels = out / panelColumns, rounded up.
enum class Layout : uint8_t { Plain, ColumnPanels, RowPanels };
inline constexpr int64_t panelColumns = 64;

/// Bytes that a constant of f32 and of `shape` takes in `layout`, padding of
/// the last panel included.
int64_t packedSizeInBytes(const std::vector<int64_t> &shape, Layout layout);

} // namespace tandem
