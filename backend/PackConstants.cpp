#include "backend/PackConstants.h"

#include "backend/Packing.h"

#include <algorithm>
#include <array>

namespace tandem {

namespace {

int64_t rowsOf(const TensorView &tensor) {
  return tensor.shape.size() == 2 ? tensor.shape[0] : 1;
}

int64_t columnsOf(const TensorView &tensor) {
  return tensor.shape.size() == 2 ? tensor.shape[1] : tensor.numElements();
}

/// The tensor of the store under `name`, of a shape that `constant` takes: its
/// own, or as a part any size along the dimension that the parts share out.
Result<TensorView> findTensor(const WeightStore &store, const std::string &name,
                              const Constant &constant) {
  auto found = store.tensors.find(name);
  if (found == store.tensors.end() && !constant.parts.empty())
    return failure("weight '{}': got none, expected a part of '{}'", name,
                   constant.name);
  if (found == store.tensors.end())
    return failure("weight '{}': got none, expected one of shape [{}]", name,
                   fmt::join(constant.shape, ", "));
  const std::vector<int64_t> &shape = found->second.shape;
  std::vector<int64_t> expected = constant.shape;
  if (!constant.parts.empty() && shape.size() == expected.size())
    expected[constant.partsDim] = shape[constant.partsDim];
  if (shape != expected)
    return failure("weight '{}': got shape [{}], expected [{}]", name,
                   fmt::join(shape, ", "), fmt::join(expected, ", "));
  return found->second;
}

Result<Packing> describe(const Constant &constant, const WeightStore &store) {
  TensorView whole = {ElementType::F32, constant.shape};
  Packing packing;
  packing.type = constant.type;
  packing.layout = constant.layout;
  packing.rows = rowsOf(whole);
  packing.columns = columnsOf(whole);
  packing.name = constant.name;
  packing.offset = constant.offset;
  packing.sizeInBytes = constant.sizeInBytes();
  bool alongRows = constant.shape.size() == 2 && constant.partsDim == 0;
  int64_t placed = 0;
  for (const std::string &name : constant.sources()) {
    auto tensor = findTensor(store, name, constant);
    if (!tensor)
      return std::unexpected(tensor.error());
    Source source = {*tensor, rowsOf(*tensor), columnsOf(*tensor)};
    (alongRows ? source.firstRow : source.firstColumn) = placed;
    placed += alongRows ? source.rows : source.columns;
    packing.sources.push_back(std::move(source));
  }
  if (int64_t expected = alongRows ? packing.rows : packing.columns;
      placed != expected)
    return failure("weight '{}': got parts of {} in all, expected {}",
                   constant.name, placed, expected);
  return packing;
}

Result<std::vector<Packing>> describeAll(const Executable &executable,
                                         const WeightStore &store) {
  std::vector<Packing> packings;
  for (const Constant &constant : executable.constants) {
    auto packing = describe(constant, store);
    if (!packing)
      return std::unexpected(packing.error());
    packings.push_back(std::move(*packing));
  }
  return packings;
}

Result<void> writeZeros(int64_t count, const ByteSink &sink) {
  static constexpr std::array<std::byte, 4096> zeros = {};
  Result<void> done;
  for (; count > 0 && done; count -= zeros.size())
    done = sink(std::span(zeros).first(
        std::min(count, static_cast<int64_t>(zeros.size()))));
  return done;
}

} // namespace

Result<void> packConstants(const Executable &executable,
                           const WeightStore &store, std::byte *out,
                           int numThreads) {
  auto packings = describeAll(executable, store);
  if (!packings)
    return std::unexpected(packings.error());
  for (const Packing &packing : *packings)
    pack(packing, store, out + packing.offset, numThreads);
  return {};
}

Result<void> streamConstants(const Executable &executable,
                             const WeightStore &store, MemoryTracker &memory,
                             int numThreads, const ByteSink &sink) {
  auto packings = describeAll(executable, store);
  if (!packings)
    return std::unexpected(packings.error());
  std::ranges::sort(*packings, {}, &Packing::offset);
  int64_t largest = 0;
  for (const Packing &packing : *packings)
    largest = std::max(largest, packing.sizeInBytes);
  auto buffer = Buffer::allocate(memory, largest, "packed weights");
  if (!buffer)
    return std::unexpected(buffer.error());
  int64_t end = 0;
  for (const Packing &packing : *packings) {
    if (packing.offset < end)
      return failure("weight '{}': got offset {}, expected {} or more, where "
                     "the one before it ends",
                     packing.name, packing.offset, end);
    std::span bytes(buffer->data(), packing.sizeInBytes);
    if (packing.isPadded())
      std::ranges::fill(bytes, std::byte{0});
    pack(packing, store, bytes.data(), numThreads);
    auto done = writeZeros(packing.offset - end, sink);
    if (done)
      done = sink(bytes);
    if (!done)
      return done;
    end = packing.offset + packing.sizeInBytes;
  }
  return writeZeros(executable.constantBytes - end, sink);
}

} // namespace tandem
