#include "backend/PackConstants.h"

#include <algorithm>
#include <array>
#include <thread>

namespace tandem {

namespace {

/// Rows `begin` to `end`, exclusive, of a matrix of `columns` columns.
struct RowRange {
  int64_t begin = 0, end = 0, columns = 0;
};

/// The rows as f32, one after another.
void loadRows(const TensorView &source, const RowRange &rows, float *out) {
  TensorView view;
  view.type = source.type;
  view.shape = {rows.end - rows.begin, rows.columns};
  view.data =
      source.data + rows.begin * rows.columns * sizeInBytes(source.type);
  convertToFloat(view, out);
}

/// [in, out] to [out / panelColumns][in][panelColumns]: a row goes to as many
/// panels as it has pieces.
void packColumns(const TensorView &source, const RowRange &rows, float *out) {
  int64_t depth = source.shape[0];
  std::vector<float> row(rows.columns);
  for (int64_t k = rows.begin; k < rows.end; ++k) {
    loadRows(source, {k, k + 1, rows.columns}, row.data());
    for (int64_t n = 0; n < rows.columns; n += panelColumns)
      std::copy_n(row.data() + n, std::min(panelColumns, rows.columns - n),
                  out + n * depth + k * panelColumns);
  }
}

/// [out, in] to [out / panelColumns][in][panelColumns]: panelColumns rows make
/// a panel, transposed in squares that stay in the nearest cache.
void packRows(const TensorView &source, const RowRange &rows, float *out) {
  constexpr int64_t square = 16;
  int64_t depth = rows.columns;
  std::vector<float> panel(panelColumns * depth);
  for (int64_t n = rows.begin; n < rows.end; n += panelColumns) {
    int64_t count = std::min(panelColumns, rows.end - n);
    loadRows(source, {n, n + count, depth}, panel.data());
    for (int64_t k0 = 0; k0 < depth; k0 += square)
      for (int64_t j = 0; j < count; ++j)
        for (int64_t k = k0; k < std::min(k0 + square, depth); ++k)
          out[n * depth + k * panelColumns + j] = panel[j * depth + k];
  }
}

/// Part `part` of `parts` of one constant.
void packPart(const Constant &constant, const WeightStore &store, float *out,
              int64_t part, int64_t parts) {
  const TensorView &source = store.tensors.at(constant.name);
  bool isMatrix = source.shape.size() == 2;
  int64_t numRows = isMatrix ? source.shape[0] : 1;
  int64_t columns = isMatrix ? source.shape[1] : source.numElements();
  // Whole panels, so that no two parts write the same one.
  int64_t unit = constant.layout == Layout::RowPanels ? panelColumns : 1;
  int64_t units = (numRows + unit - 1) / unit;
  RowRange rows = {units * part / parts * unit,
                   std::min(units * (part + 1) / parts * unit, numRows),
                   columns};
  switch (constant.layout) {
  case Layout::Plain:
    loadRows(source, rows, out + rows.begin * columns);
    break;
  case Layout::ColumnPanels:
    packColumns(source, rows, out);
    break;
  case Layout::RowPanels:
    packRows(source, rows, out);
    break;
  }
  int64_t rowBytes = columns * sizeInBytes(source.type);
  store.release({source.data + rows.begin * rowBytes,
                 static_cast<size_t>((rows.end - rows.begin) * rowBytes)});
}

int64_t sizeOf(const Constant &constant) {
  return packedSizeInBytes(constant.shape, constant.layout);
}

void packConstant(const Constant &constant, const WeightStore &store,
                  std::byte *out, int numThreads) {
  constexpr int64_t bytesWorthAThread = 1 << 18;
  int64_t parts =
      std::clamp<int64_t>(sizeOf(constant) / bytesWorthAThread, 1, numThreads);
  auto work = [&](int64_t part) {
    packPart(constant, store, reinterpret_cast<float *>(out), part, parts);
  };
  std::vector<std::jthread> others;
  for (int64_t part = 1; part < parts; ++part)
    others.emplace_back(work, part);
  work(0);
}

Result<void> checkShapes(const Executable &executable,
                         const WeightStore &store) {
  for (const Constant &constant : executable.constants) {
    auto found = store.tensors.find(constant.name);
    if (found == store.tensors.end())
      return failure("weight '{}': got none, expected one of shape [{}]",
                     constant.name, fmt::join(constant.shape, ", "));
    if (found->second.shape != constant.shape)
      return failure("weight '{}': got shape [{}], expected [{}]",
                     constant.name, fmt::join(found->second.shape, ", "),
                     fmt::join(constant.shape, ", "));
  }
  return {};
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
  if (auto fit = checkShapes(executable, store); !fit)
    return fit;
  for (const Constant &constant : executable.constants)
    packConstant(constant, store, out + constant.offset, numThreads);
  return {};
}

Result<void> streamConstants(const Executable &executable,
                             const WeightStore &store, MemoryTracker &memory,
                             int numThreads, const ByteSink &sink) {
  if (auto fit = checkShapes(executable, store); !fit)
    return fit;
  std::vector<Constant> constants = executable.constants;
  std::ranges::sort(constants, {}, &Constant::offset);
  int64_t largest = 0;
  for (const Constant &constant : constants)
    largest = std::max(largest, sizeOf(constant));
  auto buffer = Buffer::allocate(memory, largest, "packed weights");
  if (!buffer)
    return std::unexpected(buffer.error());
  int64_t end = 0;
  for (const Constant &constant : constants) {
    if (constant.offset < end)
      return failure("weight '{}': got offset {}, expected {} or more, where "
                     "the one before it ends",
                     constant.name, constant.offset, end);
    std::span bytes(buffer->data(), sizeOf(constant));
    if (sizeOf(constant) != packedSizeInBytes(constant.shape, Layout::Plain))
      std::ranges::fill(bytes, std::byte{0}); // the padding of its last panel
    packConstant(constant, store, bytes.data(), numThreads);
    auto done = writeZeros(constant.offset - end, sink);
    if (done)
      done = sink(bytes);
    if (!done)
      return done;
    end = constant.offset + sizeOf(constant);
  }
  return writeZeros(executable.constantBytes - end, sink);
}

} // namespace tandem
