#include "backend/SizeCheck.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace tandem {

std::optional<int64_t> sizeProduct(const std::vector<int64_t> &sizes,
                                   bool mayBeOpen) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    if (size == dynamicDim && mayBeOpen)
      continue;
    if (size < 1 || size > maxElements / result)
      return std::nullopt;
    result *= size;
  }
  return result;
}

Result<void> expectWithin(std::string_view where, int64_t got, int64_t least,
                          int64_t most) {
  if (got < least || got > most)
    return failure("{}: got {}, expected {} to {}", where, got, least, most);
  return {};
}

Result<void> expectInSegment(std::string_view where, int64_t offset,
                             int64_t size, int64_t total) {
  if (size > total)
    return failure("{}.shape: got {} bytes, expected at most {}", where, size,
                   total);
  return expectWithin(fmt::format("{}.offset", where), offset, 0, total - size);
}

static std::unexpected<Error> badShape(std::string_view where,
                                       const std::vector<int64_t> &shape) {
  return failure("{}.shape: got [{}], expected positive sizes, within memory",
                 where, fmt::join(shape, ", "));
}

Result<int64_t> constantSizeInBytes(std::string_view where,
                                    const std::vector<int64_t> &shape,
                                    ElementType type, Layout layout) {
  if (!sizeProduct(shape))
    return badShape(where, shape);
  if ((layout != Layout::Plain || isQuantized(type)) && shape.size() != 2)
    return failure(
        "{}.shape: got rank {}, expected a matrix for its type and layout",
        where, shape.size());
  if (layout == Layout::Plain && type == ElementType::QInt4)
    return failure("{}.layout: got plain, expected panels for qint4", where);
  return storedSizeInBytes(shape, type, layout);
}

Result<int64_t> plainSizeInBytes(std::string_view where, const Value &value,
                                 int64_t unit, bool mayBeOpen) {
  auto elements = sizeProduct(value.shape, mayBeOpen);
  if (!elements)
    return badShape(where, value.shape);
  if (value.layout != Layout::Plain)
    return failure("{}.layout: got panels, expected plain", where);
  if (value.offset % unit != 0)
    return failure("{}.offset: got {}, expected a multiple of {}", where,
                   value.offset, unit);
  if (isQuantized(value.type)) {
    std::vector<int64_t> shape = value.shape;
    std::ranges::replace(shape, dynamicDim, 1);
    return constantSizeInBytes(where, shape, value.type, value.layout);
  }
  int64_t row = value.shape.empty() ? 1 : value.shape.back();
  if (row == dynamicDim || value.rowStride == 0)
    return *elements * unit;
  int64_t rows = *elements / row;
  if (auto ok = expectWithin(fmt::format("{}.row_stride", where),
                             value.rowStride, row, maxElements / rows);
      !ok)
    return std::unexpected(ok.error());
  return ((rows - 1) * value.rowStride + row) * unit;
}

} // namespace tandem
