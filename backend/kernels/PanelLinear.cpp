#include "backend/kernels/LinearShape.h"
#include "backend/kernels/PanelProduct.h"
#include "backend/kernels/Rowwise.h"

namespace tandem {

namespace {

/// Our own products, one panel at a time, by blocks of maxPanelRows rows. A
/// `Product` is made for one run on one thread; it multiplies rows of x by a
/// panel.
template <typename Product> class PanelLinear final : public Kernel {
public:
  explicit PanelLinear(const LinearShape &shape) : shape(shape) {}

  void run(const KernelOperands &operands, int thread,
           int numThreads) const override {
    Range panels = split(shape.numPanels(), thread, numThreads);
    alignas(64) typename Product::Sum tile[maxPanelRows * panelColumns];
    Product product(shape, operands, thread);
    for (int64_t p = panels.begin; p < panels.end; ++p) {
      product.begin(shape.panel(operands, p));
      Range columns{p * panelColumns,
                    std::min(shape.columns, (p + 1) * panelColumns)};
      for (int64_t row = 0; row < shape.rows; row += maxPanelRows) {
        Range rows{row, std::min(shape.rows, row + maxPanelRows)};
        product.multiply(rows, tile);
        finishLinear(shape, operands, {rows, columns, tile, panelColumns});
      }
    }
  }

  std::string_view implementation() const override { return "panels"; }

private:
  LinearShape shape;
};

/// Rows and panels of f32, bf16 or qint8 as they are.
template <typename Element, typename SumType> struct DirectProduct {
  using Sum = SumType;

  DirectProduct(const LinearShape &shape, const KernelOperands &operands, int)
      : x{in<Element>(operands, 0), shape.xStride, shape.rows, shape.depth} {}

  void begin(const std::byte *from) { panel = from; }
  void multiply(Range rows, Sum *tile) const {
    multiplyPanel(x.part(rows.begin, rows.size(), 0, x.depth), panel, tile);
  }

  PanelRows<Element> x;
  const std::byte *panel = nullptr;
};

/// Few rows by panels of qint4.
struct GroupedProduct {
  using Sum = int32_t;

  GroupedProduct(const LinearShape &shape, const KernelOperands &operands, int)
      : x(withGroupSums(
            {in<int8_t>(operands, 0), shape.xStride, shape.rows, shape.depth},
            sums)) {}

  void begin(const std::byte *from) { panel = from; }
  void multiply(Range, Sum *tile) const { multiplyPanel(x, panel, tile); }

  int32_t sums[maxPanelRows * maxQuantizedDepth / groupSize];
  GroupedRows x;
  const std::byte *panel = nullptr;
};

/// Many rows by panels of qint4, each made one of qint8 in scratch first.
struct ExpandedProduct : DirectProduct<int8_t, int32_t> {
  ExpandedProduct(const LinearShape &shape, const KernelOperands &operands,
                  int thread)
      : DirectProduct(shape, operands, thread),
        expanded(operands.scratch +
                 thread * linearScratchBytesPerThread(shape.rows, shape.depth,
                                                      shape.weightType)) {}

  void begin(const std::byte *from) {
    expandPanel(from, x.depth, expanded);
    panel = expanded;
  }

  std::byte *expanded = nullptr;
};

} // namespace

std::unique_ptr<Kernel> createPanelLinear(const LinearShape &shape) {
  switch (shape.weightType) {
  case ElementType::BF16:
    return std::make_unique<PanelLinear<DirectProduct<uint16_t, float>>>(shape);
  case ElementType::QInt8:
    return std::make_unique<PanelLinear<DirectProduct<int8_t, int32_t>>>(shape);
  case ElementType::QInt4:
    if (shape.rows <= maxPanelRows)
      return std::make_unique<PanelLinear<GroupedProduct>>(shape);
    return std::make_unique<PanelLinear<ExpandedProduct>>(shape);
  default:
    return std::make_unique<PanelLinear<DirectProduct<float, float>>>(shape);
  }
}

} // namespace tandem
