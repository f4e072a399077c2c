#include "runtime/ValueSize.h"

#include <algorithm>

namespace tandem {

bool isDynamic(const Value &value) {
  return std::ranges::find(value.shape, dynamicDim) != value.shape.end();
}

Value withSize(Value value, int64_t dynamicSize) {
  std::ranges::replace(value.shape, dynamicDim, dynamicSize);
  if (value.rowStride <= 0)
    value.rowStride = value.shape.empty() ? 1 : value.shape.back();
  return value;
}

int64_t spanInElements(const Value &value) {
  if (value.shape.empty())
    return 1;
  int64_t numRows = 1, columns = value.shape.back();
  for (size_t i = 0; i + 1 < value.shape.size(); ++i)
    numRows *= value.shape[i];
  int64_t stride = value.rowStride > 0 ? value.rowStride : columns;
  return numRows == 0 ? 0 : (numRows - 1) * stride + columns;
}

int64_t spanInBytes(const Value &value) {
  if (value.layout != Layout::Plain || isQuantized(value.type))
    return storedSizeInBytes(value.shape, value.type, value.layout);
  return spanInElements(value) * sizeInBytes(value.type);
}

int64_t scratchSizeInBytes(const Value &scratch) {
  int64_t bytes = 1;
  for (int64_t size : scratch.shape)
    bytes *= size;
  return bytes;
}

} // namespace tandem
