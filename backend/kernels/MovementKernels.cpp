#include "backend/kernels/Factories.h"
#include "backend/kernels/Rowwise.h"
#include "backend/kernels/SpecReader.h"

#include <cstring>

namespace tandem {

namespace {

/// Where each row of an output begins in the input: both as steps a dimension,
/// the last dimension left out.
struct RowWalk {
  std::vector<int64_t> sizes;   // of the output's leading dimensions
  std::vector<int64_t> strides; // of the input along them, in elements

  int64_t numRows() const {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    return count;
  }

  int64_t offset(int64_t row) const {
    int64_t result = 0;
    for (size_t i = sizes.size(); i-- > 0; row /= sizes[i])
      result += row % sizes[i] * strides[i];
    return result;
  }
};

std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size() - 1; i > 0; --i)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Elements that lie `step` apart, to one after another.
void gather(const float *from, int64_t step, int64_t columns, float *to) {
  if (step == 1)
    std::memcpy(to, from, columns * sizeof(float));
  else
    for (int64_t i = 0; i < columns; ++i)
      to[i] = from[i * step];
}

/// Copies rows of `columns` elements that lie `step` apart in the input.
KernelResult copyRows(RowWalk walk, int64_t begin, int64_t columns,
                      int64_t step) {
  int64_t numRows = walk.numRows();
  auto copy = [=, walk = std::move(walk)](const KernelOperands &o, Range rows) {
    for (int64_t row = rows.begin; row < rows.end; ++row)
      gather(in(o, 0) + begin + walk.offset(row), step, columns,
             out(o, 0) + row * columns);
  };
  return rowwise(numRows, "copy", std::move(copy));
}

} // namespace

/// The same elements in another shape.
KernelResult createReshape(const KernelSpec &spec) {
  SpecReader reader("reshape", spec);
  reader.expectOperands(1, 1);
  const Value &x = reader.input(0, "x", SpecReader::anyRank);
  const Value &result = reader.output(0, "out", SpecReader::anyRank);
  if (!reader.ok())
    return reader.failure();
  int64_t count = numElements(x);
  reader.expectEqual("elements of 'out'", numElements(result), count);
  if (!reader.ok())
    return reader.failure();
  return rowwise(count, "copy", [](const KernelOperands &o, Range range) {
    std::memmove(out(o, 0) + range.begin, in(o, 0) + range.begin,
                 range.size() * sizeof(float));
  });
}

/// Dimension i of out is dimension permutation[i] of x.
KernelResult createTranspose(const KernelSpec &spec) {
  SpecReader reader("transpose", spec);
  reader.expectOperands(1, 1);
  const Value &x = reader.input(0, "x", SpecReader::anyRank);
  const Value &result = reader.output(0, "out", SpecReader::anyRank);
  auto permutation = reader.list("permutation");
  auto rank = static_cast<int64_t>(x.shape.size());
  reader.expectEqual("length of 'permutation'",
                     static_cast<int64_t>(permutation.size()), rank);
  if (!reader.ok())
    return reader.failure();
  auto strides = denseStrides(x.shape);
  std::vector<bool> seen(rank);
  std::vector<int64_t> shape;
  RowWalk walk;
  for (int64_t dim : permutation) {
    reader.expectWithin("'permutation'", dim, 0, rank);
    if (!reader.ok())
      return reader.failure();
    if (seen[dim])
      reader.fail("'permutation': got {} twice", dim);
    seen[dim] = true;
    shape.push_back(x.shape[dim]);
    walk.strides.push_back(strides[dim]);
  }
  reader.expectShape("out", result, shape);
  if (!reader.ok())
    return reader.failure();
  int64_t columns = shape.back(), step = walk.strides.back();
  shape.pop_back();
  walk.strides.pop_back();
  walk.sizes = shape;
  return copyRows(std::move(walk), 0, columns, step);
}

/// out.shape[dim] elements of x from `offset` on along `dim`.
KernelResult createSlice(const KernelSpec &spec) {
  SpecReader reader("slice", spec);
  reader.expectOperands(1, 1);
  const Value &x = reader.input(0, "x", SpecReader::anyRank);
  const Value &result = reader.output(0, "out", x.shape.size());
  int64_t dim = reader.integer("dim"), offset = reader.integer("offset");
  auto rank = static_cast<int64_t>(x.shape.size());
  reader.expectWithin("attribute 'dim'", dim, 0, rank);
  if (!reader.ok())
    return reader.failure();
  auto shape = x.shape;
  shape[dim] = result.shape[dim];
  reader.expectShape("out", result, shape);
  reader.expectWithin("attribute 'offset'", offset, 0,
                      x.shape[dim] - shape[dim] + 1);
  if (!reader.ok())
    return reader.failure();
  auto strides = denseStrides(x.shape);
  int64_t begin = offset * strides[dim], columns = shape.back();
  shape.pop_back();
  strides.pop_back();
  return copyRows({shape, strides}, begin, columns, 1);
}

} // namespace tandem
