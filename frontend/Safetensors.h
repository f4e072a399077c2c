#pragma once

#include "support/MappedFile.h"
#include "support/Result.h"
#include "support/TensorView.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace tandem {

/// A safetensors file, mapped. Layout: the header's length (u64, little
/// endian), the header (a JSON object, name -> dtype, shape, data_offsets),
/// then the data, to which the offsets are relative.
///
/// Once open, every tensor is known to lie in the file, to be as long as dtype
/// and shape say, and to share no byte with another.
class SafetensorsFile {
public:
  /// As the header states it; the dtype may be one we do not compute with.
  struct Entry {
    std::string dtype; // "F32", "BF16", "I64", ...
    std::vector<int64_t> shape;
    const std::byte *data;
    int64_t sizeInBytes;
  };

  static Result<SafetensorsFile> open(const std::filesystem::path &path);

  /// A tensor in the map, not copied; the view stays valid as long as mapping()
  /// does. Fails where the tensor is absent or neither F32, F16 nor BF16.
  Result<TensorView> tensor(const std::string &name) const;

  const std::map<std::string, Entry> &entries() const { return tensors; }
  const std::filesystem::path &path() const { return filePath; }
  const std::shared_ptr<const MappedFile> &mapping() const { return file; }

private:
  std::filesystem::path filePath;
  std::shared_ptr<const MappedFile> file;
  std::map<std::string, Entry> tensors;
};

} // namespace tandem
