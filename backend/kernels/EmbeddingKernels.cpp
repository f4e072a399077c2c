#include "backend/kernels/Factories.h"
#include "backend/kernels/Rowwise.h"
#include "backend/kernels/SpecReader.h"

#include <bit>
#include <cstring>

namespace tandem {

namespace {

/// A table [V, d] that an op picks rows of, each element as a float.
struct Table {
  std::vector<int64_t> shape;
  ElementType type = ElementType::F32;
  Layout layout = Layout::Plain;

  int64_t columns() const { return shape[1]; }
  bool inPanels() const { return layout != Layout::Plain; }

  /// Calls take(i, element) for every element of row `id`.
  template <typename Take>
  void visit(const std::byte *table, int64_t id, Take take) const {
    switch (type) {
    case ElementType::BF16:
      return visitEach<uint16_t>(table, id, [take](int64_t i, uint16_t bits) {
        take(i, std::bit_cast<float>(uint32_t{bits} << 16));
      });
    case ElementType::QInt8:
      return visitEach<int8_t>(
          table, id, [take, scale = scaleOf(table, id)](int64_t i, int8_t q) {
            take(i, scale * static_cast<float>(q));
          });
    case ElementType::QInt4:
      return visitInt4(table, id, take);
    default:
      return visitEach<float>(table, id, take);
    }
  }

private:
  /// What row `id` of a table in panels shares with others.
  const std::byte *panelOf(const std::byte *table, int64_t id) const {
    return table + id / panelColumns * panelSizeInBytes(columns(), type);
  }

  float scaleOf(const std::byte *table, int64_t id) const {
    float scale;
    std::memcpy(&scale,
                table + scalesOffset(shape, type, layout) + id * sizeof(scale),
                sizeof(scale));
    return scale;
  }

  /// Elements that lie by themselves; in panels, four bytes of each row side
  /// by side.
  template <typename Element, typename Take>
  void visitEach(const std::byte *table, int64_t id, Take take) const {
    constexpr int64_t unit = sizeof(Element), together = 4 / unit;
    const std::byte *row = table + id * columns() * unit;
    int64_t step = 4;
    if (inPanels()) {
      row = panelOf(table, id) + id % panelColumns * 4;
      step = panelColumns * 4;
    }
    for (int64_t i = 0; i < columns(); ++i) {
      Element element;
      std::memcpy(&element, row + i / together * step + i % together * unit,
                  unit);
      take(i, element);
    }
  }

  template <typename Take>
  void visitInt4(const std::byte *table, int64_t id, Take take) const {
    constexpr int64_t quadBytes = 4 * panelColumns;
    const std::byte *panel = panelOf(table, id);
    int64_t groupBytes = panelSizeInBytes(depthBlock(type), type) /
                         (depthBlock(type) / groupSize);
    int64_t column = id % panelColumns;
    float scale = scaleOf(table, id);
    for (int64_t i = 0; i < columns(); ++i) {
      const std::byte *group = panel + i / groupSize * groupBytes;
      int64_t place = i % groupSize;
      auto both = static_cast<int>(
          group[panelColumns + place / 8 * quadBytes + column * 4 + place % 4]);
      int nibble = place % 8 < 4 ? both & 15 : both >> 4;
      int step = static_cast<int>(group[column]);
      take(i, scale * static_cast<float>(step * (nibble - 8)));
    }
  }
};

struct Lookup {
  Table table;
  int64_t numRows = 0;
};

/// Operand `index` and the one after it: a table [V, d] and ids i32 [N], for
/// an out [N, d]. Ids are checked where they enter the program.
Lookup readLookup(SpecReader &reader, size_t index, std::string_view name,
                  std::string_view idsName) {
  const Value &table = reader.weight(index, name, 2,
                                     {ElementType::F32, ElementType::BF16,
                                      ElementType::QInt8, ElementType::QInt4});
  const Value &ids = reader.input(index + 1, idsName, 1, ElementType::I32);
  const Value &result = reader.output(0, "out", 2);
  if (!reader.ok())
    return {};
  reader.expectShape("out", result, {ids.shape[0], table.shape[1]});
  bool plain = table.layout == Layout::Plain;
  if (isQuantized(table.type) && table.layout != Layout::RowPanels)
    reader.fail("operand '{}': got {} {}, expected row panels", name,
                plain ? "plain" : "column panels of", tandem::name(table.type));
  else if (table.layout == Layout::ColumnPanels)
    reader.fail("operand '{}': got column panels, expected plain or row panels",
                name);
  return {{table.shape, table.type, table.layout}, ids.shape[0]};
}

} // namespace

/// in table [V, d] (f32 or bf16, plain or in row panels; qint8, qint4, in row
///    panels), ids i32 [N]
///   -> out [N, d] f32, rows of the table
KernelResult createEmbedding(const KernelSpec &spec) {
  SpecReader reader("embedding", spec);
  reader.expectOperands(2, 1);
  Lookup lookup = readLookup(reader, 0, "table", "ids");
  if (!reader.ok())
    return reader.failure();
  auto copy = [table = lookup.table](const KernelOperands &o, Range rows) {
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      float *to = out(o, 0) + row * table.columns();
      table.visit(in<std::byte>(o, 0), in<int32_t>(o, 1)[row],
                  [to](int64_t i, float element) { to[i] = element; });
    }
  };
  return rowwise(lookup.numRows, "copy", std::move(copy));
}

/// in lhs_table, lhs_ids, rhs_table, rhs_ids, each as for embedding
///   -> out [N, d] f32, sums of two rows
KernelResult createAddEmbedding(const KernelSpec &spec) {
  SpecReader reader("add_embedding", spec);
  reader.expectOperands(4, 1);
  Lookup lhs = readLookup(reader, 0, "lhs_table", "lhs_ids");
  Lookup rhs = readLookup(reader, 2, "rhs_table", "rhs_ids");
  if (!reader.ok())
    return reader.failure();
  auto add = [lhs = lhs.table, rhs = rhs.table](const KernelOperands &o,
                                                Range rows) {
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      float *to = out(o, 0) + row * lhs.columns();
      lhs.visit(in<std::byte>(o, 0), in<int32_t>(o, 1)[row],
                [to](int64_t i, float element) { to[i] = element; });
      rhs.visit(in<std::byte>(o, 2), in<int32_t>(o, 3)[row],
                [to](int64_t i, float element) { to[i] += element; });
    }
  };
  return rowwise(lhs.numRows, "rows", std::move(add));
}

} // namespace tandem
