#pragma once

#include <algorithm>
#include <cstdint>

namespace tandem {

/// Items `begin` to `end`, exclusive.
struct Range {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
};

/// Part `part` of `parts` of `count` items: contiguous, sizes differ by one at
/// most. How every kernel divides its work over the threads.
constexpr Range split(int64_t count, int64_t part, int64_t parts) {
  int64_t size = count / parts, rest = count % parts;
  int64_t begin = part * size + std::min(part, rest);
  return {begin, begin + size + (part < rest ? 1 : 0)};
}

} // namespace tandem
