#include "backend/kernels/Factories.h"
#include "backend/kernels/OneDnn.h"
#include "backend/kernels/Range.h"
#include "backend/kernels/Rowwise.h"
#include "backend/kernels/SpecReader.h"

namespace tandem {

namespace {

/// out [batch, rows, columns] = a [batch, rows, depth] b [batch, depth,
/// columns]
struct MatmulShape {
  int64_t batch = 1, rows = 0, depth = 0, columns = 0;
  bool transposed = false; // b is [batch, columns, depth]
};

/// One part a thread: a range of the batch, of the columns or of the rows.
/// Parts own the scratch of their products, since eager programs plan none.
class MatmulKernel final : public Kernel {
public:
  static KernelResult create(const MatmulShape &shape, int numThreads) {
    auto kernel = std::unique_ptr<MatmulKernel>(new MatmulKernel(shape));
    for (int part = 0; part < numThreads; ++part)
      if (auto planned = kernel->planPart(part, numThreads); !planned)
        return std::unexpected(planned.error());
    return kernel;
  }

  void run(const KernelOperands &operands, int thread,
           int numThreads) const override {
    auto numParts = static_cast<int64_t>(parts.size());
    Range mine = split(numParts, thread, numThreads);
    for (int64_t i = mine.begin; i < mine.end; ++i) {
      const Part &part = parts[i];
      part.product.run(in(operands, 0) + part.aOffset,
                       in(operands, 1) + part.bOffset,
                       out(operands, 0) + part.outOffset,
                       reinterpret_cast<std::byte *>(part.scratch.get()));
    }
  }

  std::string_view implementation() const override {
    return parts.front().product.implementation();
  }

private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  struct Part {
    OneDnnProduct product;
    int64_t aOffset = 0, bOffset = 0, outOffset = 0; // elements
    std::unique_ptr<Line[]> scratch;
  };
  /// The part of each dimension that a product covers.
  struct Cut {
    Range batch, rows, columns;
  };

  explicit MatmulKernel(const MatmulShape &shape) : shape(shape) {}

  Cut cutFor(int part, int numThreads) const {
    Cut cut{{0, shape.batch}, {0, shape.rows}, {0, shape.columns}};
    constexpr int64_t lineFloats = 16; // threads write no cache line together
    int64_t lines = (shape.columns + lineFloats - 1) / lineFloats;
    if (shape.batch > 1) {
      cut.batch = split(shape.batch, part, numThreads);
    } else if (lines >= int64_t{4} * numThreads ||
               shape.columns >= shape.rows) {
      Range range = split(lines, part, numThreads);
      cut.columns = {std::min(shape.columns, range.begin * lineFloats),
                     std::min(shape.columns, range.end * lineFloats)};
    } else {
      cut.rows = split(shape.rows, part, numThreads);
    }
    return cut;
  }

  Result<void> planPart(int part, int numThreads) {
    Cut cut = cutFor(part, numThreads);
    if (!cut.batch.size() || !cut.rows.size() || !cut.columns.size())
      return {};
    int64_t m = shape.rows, n = shape.columns, k = shape.depth;
    OneDnnMatrix a{.batch = cut.batch.size(),
                   .rows = cut.rows.size(),
                   .columns = k,
                   .batchStride = m * k,
                   .rowStride = k};
    OneDnnMatrix b{.batch = cut.batch.size(),
                   .rows = k,
                   .columns = cut.columns.size(),
                   .batchStride = k * n,
                   .rowStride = shape.transposed ? 1 : n,
                   .columnStride = shape.transposed ? k : 1};
    OneDnnMatrix result{.batch = cut.batch.size(),
                        .rows = cut.rows.size(),
                        .columns = cut.columns.size(),
                        .batchStride = m * n,
                        .rowStride = n};
    auto product = OneDnnProduct::matmul(a, b, result);
    if (!product)
      return std::unexpected(product.error());
    auto numLines = product->scratchBytes() / sizeof(Line) + 1;
    parts.push_back(
        {.product = std::move(*product),
         .aOffset = (cut.batch.begin * m + cut.rows.begin) * k,
         .bOffset =
             cut.batch.begin * k * n + cut.columns.begin * b.columnStride,
         .outOffset =
             (cut.batch.begin * m + cut.rows.begin) * n + cut.columns.begin,
         .scratch = std::make_unique_for_overwrite<Line[]>(numLines)});
    return {};
  }

  MatmulShape shape;
  std::vector<Part> parts;
};

std::vector<int64_t> leading(const Value &value) {
  return {value.shape.begin(), value.shape.end() - 2};
}

} // namespace

/// in a [batch..., rows, depth], b [batch..., depth, columns] or one matrix;
///    with transpose_rhs b is [..., columns, depth]
///   -> out [batch..., rows, columns]
KernelResult createMatmul(const KernelSpec &spec) {
  SpecReader reader("matmul", spec);
  reader.expectOperands(2, 1);
  const Value &a = reader.input(0, "a", SpecReader::anyRank);
  const Value &b = reader.input(1, "b", SpecReader::anyRank);
  const Value &result = reader.output(0, "out", SpecReader::anyRank);
  MatmulShape shape{.transposed = reader.integer("transpose_rhs", 0) != 0};
  for (auto [name, value] : {std::pair{"a", &a}, std::pair{"b", &b}})
    if (value->shape.size() < 2)
      reader.fail("operand '{}': got rank {}, expected at least 2", name,
                  value->shape.size());
  if (!reader.ok())
    return reader.failure();
  auto batch = leading(a);
  size_t rank = a.shape.size(), rankOfB = b.shape.size();
  shape.rows = a.shape[rank - 2];
  shape.depth = a.shape[rank - 1];
  shape.columns = b.shape[rankOfB - (shape.transposed ? 2 : 1)];
  auto expected = rankOfB == 2 ? std::vector<int64_t>() : batch;
  expected.push_back(shape.transposed ? shape.columns : shape.depth);
  expected.push_back(shape.transposed ? shape.depth : shape.columns);
  reader.expectShape("b", b, expected);
  expected = batch;
  expected.insert(expected.end(), {shape.rows, shape.columns});
  reader.expectShape("out", result, expected);
  if (!reader.ok())
    return reader.failure();
  if (rankOfB == 2)
    shape.rows *= sizeOf(a, 0, rank - 2);
  else
    shape.batch = sizeOf(a, 0, rank - 2);
  return MatmulKernel::create(shape, spec.numThreads);
}

} // namespace tandem
