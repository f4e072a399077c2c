#pragma once

#include "backend/PackConstants.h"

#include <cstring>

namespace tandem {

using Floats = std::vector<float>;

/// Tensors under names, of bytes that the store owns.
class Store {
public:
  /// 0, 1, 2, ... in f32, exact up to 2^24.
  void addCounting(const std::string &name, std::vector<int64_t> shape) {
    TensorView view = {ElementType::F32, std::move(shape)};
    Floats values(view.numElements());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i);
    add(name, view, values);
  }

  /// Bit patterns that count up from 1.0.
  void addHalves(const std::string &name, ElementType type,
                 std::vector<int64_t> shape) {
    TensorView view = {type, std::move(shape)};
    std::vector<uint16_t> values(view.numElements());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<uint16_t>(
          (type == ElementType::F16 ? 0x3c00 : 0x3f80) + i);
    add(name, view, values);
  }

  /// The tensor's elements as they are, row by row.
  Floats plain(const std::string &name) const {
    const TensorView &view = weights.tensors.at(name);
    Floats values(view.numElements());
    convertToFloat(view, values.data());
    return values;
  }

  WeightStore weights;

private:
  /// One byte off, since a file's tensors need not be aligned.
  template <typename Element>
  void add(const std::string &name, TensorView view,
           const std::vector<Element> &values) {
    size_t size = values.size() * sizeof(Element);
    auto bytes = std::make_shared<std::vector<std::byte>>(size + 1);
    std::memcpy(bytes->data() + 1, values.data(), size);
    view.data = bytes->data() + 1;
    weights.buffers.push_back(bytes);
    weights.tensors[name] = view;
  }
};

/// Constants one after another, 64 bytes apart at least.
inline void place(Executable &executable, Constant constant) {
  constant.offset = executable.constantBytes;
  executable.constantBytes +=
      (constant.sizeInBytes() + 127) / 64 * 64;
  executable.constants.push_back(std::move(constant));
}

} // namespace tandem
