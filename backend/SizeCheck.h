#pragma once

#include "backend/Executable.h"
#include "support/Result.h"

#include <optional>

namespace tandem {

/// Far above any model, and far below what overflows in bytes.
inline constexpr int64_t maxElements = int64_t{1} << 50;

/// The product of `sizes` if each is 1 or more and it stays below maxElements;
/// an open dimension counts as 1 where there may be one.
std::optional<int64_t> sizeProduct(const std::vector<int64_t> &sizes,
                                   bool mayBeOpen = false);

/// Whether `got` is in [least, most].
Result<void> expectWithin(std::string_view where, int64_t got, int64_t least,
                          int64_t most);

/// Whether [offset, offset + size) lies in [0, total), all in bytes; `where` is
/// what has `.shape` and `.offset`.
Result<void> expectInSegment(std::string_view where, int64_t offset,
                             int64_t size, int64_t total);

/// Bytes that a constant takes, or what is wrong with its shape and layout.
Result<int64_t> constantSizeInBytes(std::string_view where,
                                    const std::vector<int64_t> &shape,
                                    ElementType type, Layout layout);

/// Bytes from the first to past the last element of a plain value whose
/// elements take `unit` bytes; open dimensions count as 1.
Result<int64_t> plainSizeInBytes(std::string_view where, const Value &value,
                                 int64_t unit, bool mayBeOpen);

} // namespace tandem
