#include "backend/kernels/Activation.h"
#include "backend/kernels/Factories.h"
#include "backend/kernels/OneDnn.h"
#include "backend/kernels/PanelProduct.h"
#include "backend/kernels/Range.h"
#include "backend/kernels/Rowwise.h"
#include "backend/kernels/Scratch.h"
#include "backend/kernels/SpecReader.h"

namespace tandem {

namespace {

/// out [rows, columns] = activation(x [rows, depth] weight + bias) + residual
struct LinearShape {
  int64_t rows = 0, depth = 0, columns = 0, xStride = 0;
  Layout layout = Layout::Plain;
  bool transposed = false; // a plain weight is [columns, depth]
  bool hasBias = false, hasResidual = false;
  std::optional<Activation> activation = {};

  int64_t numPanels() const {
    return (columns + panelColumns - 1) / panelColumns;
  }
  bool inPanels() const { return layout != Layout::Plain; }
};

/// The columns from `begin` on, as many as `count` panels hold.
void finishColumns(const LinearShape &shape, const KernelOperands &operands,
                   const float *tile, int64_t tileStride, Range columns) {
  Epilogue epilogue{.activation = shape.activation};
  if (shape.hasBias)
    epilogue.bias = in(operands, 2) + columns.begin;
  if (shape.hasResidual)
    epilogue.residual = in(operands, 2 + shape.hasBias) + columns.begin;
  finishTile(epilogue, tile, {shape.rows, columns.size(), tileStride},
             out(operands, 0) + columns.begin, shape.columns);
}

/// Few rows: our own product, one panel at a time.
class PanelLinear final : public Kernel {
public:
  explicit PanelLinear(const LinearShape &shape) : shape(shape) {}

  void run(const KernelOperands &operands, int thread,
           int numThreads) const override {
    Range panels = split(shape.numPanels(), thread, numThreads);
    alignas(64) float tile[maxPanelRows * panelColumns];
    for (int64_t p = panels.begin; p < panels.end; ++p) {
      const float *panel = in(operands, 1) + p * shape.depth * panelColumns;
      multiplyPanel(in(operands, 0), shape.xStride, shape.rows, panel,
                    shape.depth, tile);
      Range columns{p * panelColumns,
                    std::min(shape.columns, (p + 1) * panelColumns)};
      finishColumns(shape, operands, tile, panelColumns, columns);
    }
  }

  std::string_view implementation() const override { return "panels"; }

private:
  LinearShape shape;
};

/// Many rows: oneDNN multiplies into a tile in scratch, we finish the tile.
/// There is one part a thread; each has products of its own.
class TileLinear final : public Kernel {
public:
  static KernelResult create(const LinearShape &shape, int numThreads) {
    auto kernel = std::unique_ptr<TileLinear>(new TileLinear(shape));
    kernel->parts.resize(numThreads);
    for (int part = 0; part < numThreads; ++part)
      if (auto planned = kernel->planPart(part); !planned)
        return std::unexpected(planned.error());
    return kernel;
  }

  void run(const KernelOperands &operands, int thread,
           int numThreads) const override {
    std::byte *scratch =
        operands.scratch + thread * linearScratchBytesPerThread(shape.rows);
    auto *tile = reinterpret_cast<float *>(scratch + primitiveScratchBytes);
    auto numParts = static_cast<int64_t>(parts.size());
    Range mine = split(numParts, thread, numThreads);
    for (int64_t part = mine.begin; part < mine.end; ++part)
      for (const Tile &t : parts[part].tiles) {
        const float *weight = in(operands, 1) + weightOffset(t.columns.begin);
        const OneDnnProduct &product = parts[part].products[t.product].second;
        product.run(in(operands, 0), weight, tile, scratch);
        finishColumns(shape, operands, tile, t.width, t.columns);
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

  explicit TileLinear(const LinearShape &shape) : shape(shape) {}

  int64_t weightOffset(int64_t column) const {
    return shape.inPanels() || shape.transposed ? column * shape.depth : column;
  }

  Result<void> planPart(int part) {
    Range panels = split(shape.numPanels(), part, parts.size());
    while (panels.begin < panels.end) {
      int64_t begin = panels.begin * panelColumns;
      int64_t count = std::min(linearTileColumns / panelColumns, panels.size());
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
    OneDnnMatrix x{
        .rows = shape.rows, .columns = shape.depth, .rowStride = shape.xStride};
    OneDnnMatrix result{
        .rows = shape.rows, .columns = width, .rowStride = width};
    OneDnnMatrix weight{.rows = shape.depth, .columns = width};
    if (shape.inPanels()) {
      auto product = OneDnnProduct::panels(x, width);
      if (product || width > panelColumns)
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

/// Reads everything but bias and residual.
LinearShape readLinear(SpecReader &reader) {
  const Value &x = reader.view(0, "x", 2);
  const Value &weight = reader.weight(1, "weight", 2);
  const Value &result = reader.output(0, "out", 2);
  LinearShape shape{.layout = weight.layout,
                    .transposed = reader.integer("transpose_rhs", 0) != 0,
                    .hasBias = reader.integer("has_bias") != 0,
                    .hasResidual = reader.integer("has_residual") != 0};
  std::string activation = reader.text("activation");
  shape.activation = parseActivation(activation);
  if (!shape.activation && activation != "none")
    reader.fail("attribute 'activation': got '{}', expected none, gelu_tanh, "
                "gelu_erf, relu, silu or tanh",
                activation);
  if (!reader.ok())
    return shape;
  shape.rows = x.shape[0];
  shape.depth = x.shape[1];
  shape.columns = result.shape[1];
  shape.xStride = rowStride(x);
  reader.expectShape("out", result, {shape.rows, shape.columns});
  auto expected = std::vector{shape.depth, shape.columns};
  if (shape.transposed)
    std::swap(expected[0], expected[1]);
  reader.expectShape("weight", weight, expected);
  if (weight.layout ==
      (shape.transposed ? Layout::ColumnPanels : Layout::RowPanels))
    reader.fail("operand 'weight': got panels of the other dimension");
  return shape;
}

} // namespace

/// in x [rows, depth] (rows may be apart), weight [depth, columns] or, with
///    transpose_rhs, [columns, depth], [bias [columns]], [residual like out]
///   -> out [rows, columns] (may be the residual)
/// attrs transpose_rhs, has_bias, has_residual, activation
KernelResult createLinear(const KernelSpec &spec) {
  SpecReader reader("linear", spec);
  LinearShape shape = readLinear(reader);
  reader.expectOperands(2 + shape.hasBias + shape.hasResidual, 1);
  if (!reader.ok())
    return reader.failure();
  if (shape.hasBias)
    reader.expectShape("bias", reader.input(2, "bias", 1), {shape.columns});
  if (shape.hasResidual)
    reader.expectShape("residual",
                       reader.input(2 + shape.hasBias, "residual", 2),
                       {shape.rows, shape.columns});
  bool few = shape.inPanels() && shape.rows <= maxPanelRows;
  if (!few)
    reader.expectScratch(linearScratchBytesPerThread(shape.rows));
  if (!reader.ok())
    return reader.failure();
  if (few)
    return std::make_unique<PanelLinear>(shape);
  return TileLinear::create(shape, spec.numThreads);
}

} // namespace tandem
