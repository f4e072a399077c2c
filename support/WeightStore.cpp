#include "support/WeightStore.h"

#include <functional>

namespace tandem {

void WeightStore::release(std::span<const std::byte> part) const {
  std::less_equal<const std::byte *> upTo; // of any two pointers
  for (const auto &file : files) {
    auto bytes = file->bytes();
    if (upTo(bytes.data(), part.data()) &&
        upTo(part.data() + part.size(), bytes.data() + bytes.size()))
      return file->release(part);
  }
}

} // namespace tandem
