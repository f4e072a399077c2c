#include "backend/kernels/LinearShape.h"
#include "backend/kernels/OneDnn.h"
#include "backend/kernels/PanelProduct.h"
#include "backend/kernels/Rowwise.h"

namespace tandem {

namespace {

/// Many rows: oneDNN multiplies into a tile in scratch, we finish the tile.
/// There is one part a thread; each has products of its own.
class TileLinear final : public Kernel {
public:
  explicit TileLinear(const LinearShape &shape) : shape(shape) {}

  Result<void> plan(int numThreads) {
    parts.resize(numThreads);
    Result<void> planned;
    for (int part = 0; part < numThreads && planned; ++part)
      planned = planPart(part);
    return planned;
  }

  void run(const KernelOperands &operands, int thread,
           int numThreads) const override {
    Scratch scratch = scratchOf(operands, thread);
    auto numParts = static_cast<int64_t>(parts.size());
    Range mine = split(numParts, thread, numThreads);
    for (int64_t part = mine.begin; part < mine.end; ++part)
      for (const Tile &t : parts[part].tiles) {
        const std::byte *weight = weightOf(operands, t.columns.begin, scratch);
        const OneDnnProduct &product = parts[part].products[t.product].second;
        product.run(in<std::byte>(operands, 0), weight, scratch.tile,
                    scratch.primitive);
        finishLinear(shape, operands,
                     {{0, shape.rows}, t.columns, scratch.tile, t.width});
      }
  }

  std::string_view implementation() const override {
    return parts.front().products.front().second.implementation();
  }

private:
  struct Tile {
    Range columns;     // what is written
    int64_t width = 0; // what is computed
    size_t product = 0;
  };
  struct Part {
    std::vector<Tile> tiles;
    std::vector<std::pair<int64_t, OneDnnProduct>> products; // by width
  };
  /// A thread's, as linearScratchBytesPerThread() counts it.
  struct Scratch {
    std::byte *primitive, *panel, *tile;
  };

  Scratch scratchOf(const KernelOperands &operands, int thread) const {
    int64_t size =
        linearScratchBytesPerThread(shape.rows, shape.depth, shape.weightType);
    int64_t tile =
        shape.rows * linearTileColumns(shape.weightType) * sizeof(float);
    std::byte *begin = operands.scratch + thread * size;
    return {begin, begin + primitiveScratchBytes, begin + size - tile};
  }

  /// The weight from a column on, as the product takes it.
  const std::byte *weightOf(const KernelOperands &operands, int64_t column,
                            const Scratch &scratch) const {
    if (!shape.inPanels())
      return in<std::byte>(operands, 1) +
             column * (shape.transposed ? shape.depth : 1) * sizeof(float);
    const std::byte *panel = shape.panel(operands, column / panelColumns);
    if (shape.weightType != ElementType::QInt4)
      return panel;
    expandPanel(panel, shape.depth, scratch.panel);
    return scratch.panel;
  }

  Result<void> planPart(int part) {
    Range panels = split(shape.numPanels(), part, parts.size());
    int64_t most = linearTileColumns(shape.weightType) / panelColumns;
    while (panels.begin < panels.end) {
      int64_t begin = panels.begin * panelColumns;
      int64_t count = std::min(most, panels.size());
      auto product = productOf(parts[part], begin, count);
      if (!product && count > 1 && shape.inPanels())
        product = productOf(parts[part], begin, count = 1);
      if (!product)
        return std::unexpected(product.error());
      int64_t end = std::min(shape.columns, begin + count * panelColumns);
      parts[part].tiles.push_back(
          {{begin, end}, parts[part].products[*product].first, *product});
      panels.begin += count;
    }
    return {};
  }

  /// The index of the product for `count` panels from column `begin` on.
  Result<size_t> productOf(Part &part, int64_t begin, int64_t count) {
    int64_t width = count * panelColumns;
    if (!shape.inPanels())
      width = std::min(width, shape.columns - begin);
    for (size_t i = 0; i < part.products.size(); ++i)
      if (part.products[i].first == width)
        return i;
    auto product = createProduct(width);
    if (!product)
      return std::unexpected(product.error());
    if (product->scratchBytes() > primitiveScratchBytes)
      return failure("linear: {}: got {} bytes of scratch, expected at most {}",
                     product->implementation(), product->scratchBytes(),
                     primitiveScratchBytes);
    part.products.emplace_back(width, std::move(*product));
    return part.products.size() - 1;
  }

  Result<OneDnnProduct> createProduct(int64_t width) const {
    OneDnnMatrix x{.rows = shape.rows,
                   .columns = shape.depth,
                   .rowStride = shape.xStride,
                   .type = shape.xType};
    OneDnnMatrix result{
        .rows = shape.rows, .columns = width, .rowStride = width};
    OneDnnMatrix weight{.rows = shape.depth, .columns = width};
    if (isQuantized(shape.xType)) // whole quads, whose padding is zeros
      x.columns = roundUp(shape.depth, depthBlock(shape.xType));
    if (shape.inPanels()) {
      auto product = OneDnnProduct::panels(x, width);
      if (product || width > panelColumns ||
          shape.weightType != ElementType::F32)
        return product;
      weight.rowStride = panelColumns; // one panel is a plain matrix
    } else {
      weight.rowStride = shape.transposed ? 1 : shape.columns;
      weight.columnStride = shape.transposed ? shape.depth : 1;
    }
    return OneDnnProduct::matmul(x, weight, result);
  }

  LinearShape shape;
  std::vector<Part> parts;
};

} // namespace

Result<std::unique_ptr<Kernel>> createTileLinear(const LinearShape &shape,
                                                 int numThreads) {
  auto kernel = std::make_unique<TileLinear>(shape);
  if (auto planned = kernel->plan(numThreads); !planned)
    return std::unexpected(planned.error());
  return kernel;
}

} // namespace tandem
