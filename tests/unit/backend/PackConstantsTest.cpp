#include "backend/PackConstants.h"

#include "ConstantStore.h"

#include <cstring>
#include <gtest/gtest.h>

namespace tandem {
namespace {

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

/// The constant as one plain matrix, put together from its parts.
Floats wholeOf(const Constant &constant, const Store &store) {
  if (constant.parts.empty())
    return store.plain(constant.name);
  int64_t outer = constant.partsDim == 0 ? 1 : constant.shape[0];
  Floats whole;
  for (int64_t i = 0; i < outer; ++i)
    for (const std::string &part : constant.parts) {
      Floats plain = store.plain(part);
      auto share = static_cast<int64_t>(plain.size()) / outer;
      whole.insert(whole.end(), plain.begin() + i * share,
                   plain.begin() + (i + 1) * share);
    }
  return whole;
}

/// Packs with a number of threads, and compares every constant and every byte
/// between.
void expectPacked(const Executable &executable, const Store &store,
                  int numThreads) {
  Floats expected(executable.constantBytes / 4);
  for (const Constant &constant : executable.constants)
    writeExpected(wholeOf(constant, store), constant,
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

// Parts of less than a panel, of one, and of more, so that they begin and end
// inside panels; one that is stored in halves.
TEST(PackConstants, PartsLieOneAfterAnother) {
  Store store;
  store.addCounting("rows_5", {5, 33});
  store.addCounting("rows_64", {64, 33});
  store.addHalves("rows_90", ElementType::BF16, {90, 33});
  store.addCounting("columns_5", {33, 5});
  store.addCounting("columns_64", {33, 64});
  store.addHalves("columns_90", ElementType::F16, {33, 90});
  store.addCounting("bias_3", {3});
  store.addCounting("bias_70", {70});
  std::vector<std::string> byRows = {"rows_5", "rows_90", "rows_64"};
  std::vector<std::string> byColumns = {"columns_90", "columns_5",
                                        "columns_64"};
  Executable executable;
  for (Layout layout :
       {Layout::Plain, Layout::ColumnPanels, Layout::RowPanels}) {
    place(executable, {"rows", {159, 33}, layout, 0, byRows, 0});
    place(executable, {"columns", {33, 159}, layout, 0, byColumns, 1});
  }
  place(executable, {"bias", {73}, Layout::Plain, 0, {"bias_3", "bias_70"}});
  for (int numThreads : {1, 2, 3})
    expectPacked(executable, store, numThreads);
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
  Constant merged = {"ww", {4, 3}, Layout::RowPanels, 0, {"w", "w"}, 0};
  EXPECT_EQ(pack(merged), "");
  merged.shape = {5, 3};
  EXPECT_EQ(pack(merged), "weight 'ww': got parts of 4 in all, expected 5");
  merged.shape = {4, 2};
  EXPECT_EQ(pack(merged), "weight 'w': got shape [2, 3], expected [2, 2]");
  merged.parts[1] = "v";
  merged.shape = {4, 3};
  EXPECT_EQ(pack(merged), "weight 'v': got none, expected a part of 'ww'");
}

} // namespace
} // namespace tandem
