#include "support/Layout.h"

#include <cstddef>

namespace tandem {

static int64_t wholePanels(int64_t columns) {
  return (columns + panelColumns - 1) / panelColumns * panelColumns;
}

int64_t packedSizeInBytes(const std::vector<int64_t> &shape, Layout layout) {
  int64_t elements = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    bool paneled = (layout == Layout::ColumnPanels && i + 1 == shape.size()) ||
                   (layout == Layout::RowPanels && i == 0);
    elements *= paneled ? wholePanels(shape[i]) : shape[i];
  }
  return elements * static_cast<int64_t>(sizeof(float));
}

} // namespace tandem
