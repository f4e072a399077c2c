#include "backend/PackConstants.h"

#include <cstring>
#include <gtest/gtest.h>

namespace tandem {
namespace {

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

/// Where the layout's formula puts element [row, column] of a matrix, in
/// floats from the constant's start.
int64_t placeOf(const Constant &constant, int64_t row, int64_t column) {
  bool isColumns = constant.layout == Layout::ColumnPanels;
  int64_t in = constant.shape[isColumns ? 0 : 1];
  int64_t n = isColumns ? column : row, k = isColumns ? row : column;
  return (n / panelColumns * in + k) * panelColumns + n % panelColumns;
}

/// Writes the constant from `out` on, one element after the other.
void writeExpected(const Floats &plain, const Constant &constant, float *out) {
  int64_t columns = constant.shape.back();
  for (int64_t i = 0; i < static_cast<int64_t>(plain.size()); ++i)
    out[constant.layout == Layout::Plain
            ? i
            : placeOf(constant, i / columns, i % columns)] = plain[i];
}

/// Constants one after another, 64 bytes apart at least.
void place(Executable &executable, Constant constant) {
  constant.offset = executable.constantBytes;
  executable.constantBytes +=
      (packedSizeInBytes(constant.shape, constant.layout) + 127) / 64 * 64;
  executable.constants.push_back(std::move(constant));
}

/// What the sink gets, put together.
Floats stream(const Executable &executable, const Store &store,
              int numThreads) {
  std::vector<std::byte> bytes;
  MemoryTracker memory;
  auto done =
      streamConstants(executable, store.weights, memory, numThreads,
                      [&](std::span<const std::byte> piece) {
                        bytes.insert(bytes.end(), piece.begin(), piece.end());
                        return Result<void>();
                      });
  EXPECT_TRUE(done.has_value()) << done.error().message;
  Floats floats(bytes.size() / 4);
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

/// Packs with a number of threads, and compares every constant and every byte
/// between.
void expectPacked(const Executable &executable, const Store &store,
                  int numThreads) {
  Floats expected(executable.constantBytes / 4);
  for (const Constant &constant : executable.constants)
    writeExpected(store.plain(constant.name), constant,
                  expected.data() + constant.offset / 4);
  Floats packed(expected.size());
  auto done =
      packConstants(executable, store.weights,
                    reinterpret_cast<std::byte *>(packed.data()), numThreads);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(packed, expected) << numThreads << " threads";
  EXPECT_EQ(stream(executable, store, numThreads), expected);
}

struct Shape {
  int64_t rows, columns;
};

class PackedShape : public testing::TestWithParam<Shape> {};

TEST_P(PackedShape, IsTheLayoutsFormula) {
  auto [rows, columns] = GetParam();
  Store store;
  Executable executable;
  for (Layout layout :
       {Layout::Plain, Layout::ColumnPanels, Layout::RowPanels}) {
    std::string name = fmt::format("w{}", static_cast<int>(layout));
    store.addCounting(name, {rows, columns});
    place(executable, {name, {rows, columns}, layout});
  }
  for (int numThreads : {1, 2, 3})
    expectPacked(executable, store, numThreads);
}

// Less than a panel, whole ones, and some more; fewer rows than threads; and
// across the squares of 16 in which rows are transposed.
INSTANTIATE_TEST_SUITE_P(, PackedShape,
                         testing::Values(Shape{1, 1}, Shape{2, 5},
                                         Shape{64, 64}, Shape{65, 63},
                                         Shape{19, 130}, Shape{130, 19},
                                         Shape{128, 16}, Shape{200, 33}),
                         [](const auto &info) {
                           return fmt::format("{}_by_{}", info.param.rows,
                                              info.param.columns);
                         });

TEST(PackConstants, ConvertsWhatTheCheckpointStores) {
  Store store;
  Executable executable;
  for (ElementType type : {ElementType::F16, ElementType::BF16})
    for (Layout layout :
         {Layout::Plain, Layout::ColumnPanels, Layout::RowPanels}) {
      std::string name =
          fmt::format("{}{}", tandem::name(type), static_cast<int>(layout));
      store.addHalves(name, type, {9, 70});
      place(executable, {name, {9, 70}, layout});
    }
  EXPECT_EQ(store.plain("f160")[512], 1.5f); // 0x3e00
  for (int numThreads : {1, 2, 3})
    expectPacked(executable, store, numThreads);
}

TEST(PackConstants, Vectors) {
  Store store;
  Executable executable;
  store.addCounting("scale", {70});
  place(executable, {"scale", {70}});
  for (int numThreads : {1, 2, 3})
    expectPacked(executable, store, numThreads);
}

TEST(StreamConstants, HoldsNoMoreThanTheLargest) {
  Store store;
  Executable executable;
  for (int64_t rows : {100, 300, 200}) {
    std::string name = fmt::format("w{}", rows);
    store.addCounting(name, {rows, 64});
    place(executable, {name, {rows, 64}, Layout::RowPanels});
  }
  MemoryTracker memory;
  auto ignore = [](std::span<const std::byte>) { return Result<void>(); };
  auto done = streamConstants(executable, store.weights, memory, 2, ignore);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(memory.peakBytes(), 320 * 64 * 4); // 300 rows in whole panels
  EXPECT_EQ(memory.currentBytes(), 0);
}

TEST(StreamConstants, SaysWhatStandsInTheWay) {
  Store store;
  store.addCounting("a", {10});
  store.addCounting("b", {10});
  Executable executable;
  place(executable, {"a", {10}});
  place(executable, {"b", {10}});
  auto streamed = [&](MemoryTracker &memory, const ByteSink &sink) {
    auto done = streamConstants(executable, store.weights, memory, 1, sink);
    return done ? "" : done.error().message;
  };
  auto ignore = [](std::span<const std::byte>) { return Result<void>(); };
  MemoryTracker memory, little(39);
  EXPECT_EQ(streamed(little, ignore),
            "memory: packed weights: got 40 bytes beside 0 in use, expected at "
            "most 39 in all");
  EXPECT_EQ(streamed(memory,
                     [](std::span<const std::byte>) -> Result<void> {
                       return failure("the disk is full");
                     }),
            "the disk is full");
  executable.constants[1].offset = 20;
  EXPECT_EQ(streamed(memory, ignore), "weight 'b': got offset 20, expected 40 "
                                      "or more, where the one before it ends");
  store.weights.tensors.erase("b");
  EXPECT_EQ(streamed(memory, ignore),
            "weight 'b': got none, expected one of shape [10]");
}

TEST(PackConstants, RefusesWhatTheStoreLacks) {
  Store store;
  store.addCounting("w", {2, 3});
  auto pack = [&](Constant constant) {
    Executable executable;
    place(executable, std::move(constant));
    Floats out(executable.constantBytes / 4);
    auto done = packConstants(executable, store.weights,
                              reinterpret_cast<std::byte *>(out.data()), 2);
    return done ? "" : done.error().message;
  };
  EXPECT_EQ(pack({"w", {2, 3}}), "");
  EXPECT_EQ(pack({"v", {2, 3}}),
            "weight 'v': got none, expected one of shape [2, 3]");
  EXPECT_EQ(pack({"w", {3, 2}}),
            "weight 'w': got shape [2, 3], expected [3, 2]");
}

} // namespace
} // namespace tandem
