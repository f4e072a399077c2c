#pragma once

#include "support/Result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tandem {

/// A tensor's name and shape, where its values are elsewhere.
struct TensorShape {
  std::string name;
  std::vector<int64_t> shape;

  int64_t numElements() const;
  bool operator==(const TensorShape &) const = default;
};

/// A float32 tensor to write; the values are not owned.
struct NamedTensor {
  TensorShape tensor;
  std::span<const float> values; // tensor.numElements() of them
};

/// Writes a safetensors file of float32 tensors as their values come, so that
/// none needs to be held whole. The file has a temporary name beside `path`
/// until finish(): under `path` there is the old file, nothing, or all of it.
class SafetensorsWriter {
public:
  /// Names are unique; a name twice is an error.
  static Result<SafetensorsWriter> create(const std::filesystem::path &path,
                                          std::span<const TensorShape> tensors);

  SafetensorsWriter(SafetensorsWriter &&) noexcept;
  SafetensorsWriter &operator=(SafetensorsWriter &&) noexcept;
  /// Without finish(), removes what was written.
  ~SafetensorsWriter();

  /// The next values: of all tensors, in the order given to create(), row
  /// major. Pieces may end anywhere, also beyond the end of a tensor.
  Result<void> append(std::span<const float> values);

  /// Renames the file to its path. Fails if values are missing.
  Result<void> finish();

private:
  struct State;
  explicit SafetensorsWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

/// Writes tensors that are in memory.
Result<void> writeSafetensors(const std::filesystem::path &path,
                              std::span<const NamedTensor> tensors);

} // namespace tandem
