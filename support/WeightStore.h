#pragma once

#include "support/MappedFile.h"
#include "support/TensorView.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tandem {

/// The weights that a module's `tandem.parameter` symbols name, as the
/// checkpoint stores them. Views stay valid as long as the store (it owns what
/// they point into).
struct WeightStore {
  std::map<std::string, TensorView> tensors;
  std::vector<std::shared_ptr<const MappedFile>> files; // keeps mappings alive
  std::vector<std::shared_ptr<const std::vector<std::byte>>>
      buffers; // keeps owned data alive

  /// MappedFile::release() of the file that `part` lies in; nothing where it is
  /// owned data.
  void release(std::span<const std::byte> part) const;
};

} // namespace tandem
