#include "support/Layout.h"

#include <functional>
#include <numeric>

namespace tandem {

int64_t panelSizeInBytes(int64_t depth, ElementType type) {
  int64_t elements = roundUp(depth, depthBlock(type)) * panelColumns;
  int64_t steps = type == ElementType::QInt4 ? elements / groupSize : 0;
  return elements * bitsOf(type) / 8 + steps;
}

static int64_t channels(const std::vector<int64_t> &shape, Layout layout) {
  return layout == Layout::ColumnPanels ? shape[1] : shape[0];
}

/// Bytes of all panels of a weight.
static int64_t panelsSizeInBytes(const std::vector<int64_t> &shape,
                                 ElementType type, Layout layout) {
  int64_t depth = layout == Layout::ColumnPanels ? shape[0] : shape[1];
  int64_t panels =
      roundUp(channels(shape, layout), panelColumns) / panelColumns;
  return panels * panelSizeInBytes(depth, type);
}

int64_t scalesOffset(const std::vector<int64_t> &shape, ElementType type,
                     Layout layout) {
  return layout == Layout::Plain ? shape[0] * plainRowStride(shape[1], type)
                                 : panelsSizeInBytes(shape, type, layout);
}

int64_t storedSizeInBytes(const std::vector<int64_t> &shape, ElementType type,
                          Layout layout) {
  constexpr auto scaleBytes = static_cast<int64_t>(sizeof(float));
  if (isQuantized(type)) {
    int64_t unit = layout == Layout::Plain ? 1 : panelColumns;
    return scalesOffset(shape, type, layout) +
           roundUp(channels(shape, layout), unit) * scaleBytes;
  }
  if (layout != Layout::Plain)
    return panelsSizeInBytes(shape, type, layout);
  return std::accumulate(shape.begin(), shape.end(), sizeInBytes(type),
                         std::multiplies<>());
}

} // namespace tandem
