#pragma once

#include "backend/kernels/Kernel.h"
#include "backend/kernels/Range.h"
#include "support/Activation.h"

#include <optional>

namespace tandem {

class SpecReader;

/// out [rows, columns] = activation(x [rows, depth] weight + bias) + residual
struct LinearShape {
  int64_t rows = 0, depth = 0, columns = 0;
  int64_t xStride = 0; // elements between rows of x
  ElementType xType = ElementType::F32, weightType = ElementType::F32;
  Layout layout = Layout::Plain; // of the weight
  bool transposed = false;       // the weight is [columns, depth]
  bool hasBias = false, hasResidual = false;
  std::optional<Activation> activation = {};

  int64_t numPanels() const {
    return (columns + panelColumns - 1) / panelColumns;
  }
  bool inPanels() const { return layout != Layout::Plain; }
  std::vector<int64_t> weightShape() const {
    return transposed ? std::vector{columns, depth}
                      : std::vector{depth, columns};
  }
  /// The first byte of a panel.
  const std::byte *panel(const KernelOperands &operands, int64_t index) const;
};

/// Reads everything but bias and residual, and checks it.
LinearShape readLinear(SpecReader &reader);

/// Part of a product: `rows` and `columns` of it, rows `stride` elements apart
/// in `products`, which are f32 or, of quantised operands, int32.
struct LinearTile {
  Range rows, columns;
  const void *products = nullptr;
  int64_t stride = 0;
};

/// Scales, bias, activation and residual, into the output.
void finishLinear(const LinearShape &shape, const KernelOperands &operands,
                  const LinearTile &tile);

/// Straight from panels: for up to maxPanelRows rows, and for more of narrow
/// elements where oneDNN has nothing fast.
std::unique_ptr<Kernel> createPanelLinear(const LinearShape &shape);

/// oneDNN multiplies into a tile in scratch. Fails where it has nothing fast
/// for that weight.
Result<std::unique_ptr<Kernel>> createTileLinear(const LinearShape &shape,
                                                 int numThreads);

} // namespace tandem
