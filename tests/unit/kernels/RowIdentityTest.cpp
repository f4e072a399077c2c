// A row alone and the same row among others have the same bits, so that
// sequences that are decoded together are what each is alone.

#include "backend/kernels/PanelProduct.h"
#include "backend/kernels/Scratch.h"
#include "tests/unit/kernels/KernelCall.h"

#include <cstring>

namespace tandem::testing {

namespace {

/// Rows `row` to `row + 1` of numbers that are `columns` to a row.
Floats rowOf(const Floats &all, int64_t row, int64_t columns) {
  return {all.begin() + row * columns, all.begin() + (row + 1) * columns};
}

void expectSameBits(const Floats &got, const Floats &expected,
                    const std::string &what) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(std::memcmp(&got[i], &expected[i], sizeof(float)), 0)
        << what << ", element " << i << ": got " << got[i] << ", expected "
        << expected[i];
}

struct LinearSize {
  int64_t depth, columns;
  bool gelu, residual;
};

/// activation(x weight + bias) [+ residual], in panels.
Floats runLinear(const LinearSize &size, const Floats &x, Floats residual,
                 int numThreads) {
  auto [depth, columns, gelu, hasResidual] = size;
  auto rows = static_cast<int64_t>(x.size()) / depth;
  Floats weight = toPanels(randomFloats(depth * columns, 1), depth, columns,
                           Layout::ColumnPanels);
  Floats bias = randomFloats(columns, 2), input = x;
  KernelCall call = {
      .kernel = "linear",
      .inputs = {floats({rows, depth}),
                 panels({depth, columns}, Layout::ColumnPanels),
                 floats({columns})},
      .outputs = {floats({rows, columns})},
      .attributes = {{"has_bias", int64_t{1}},
                     {"has_residual", int64_t{hasResidual}},
                     {"activation", std::string(gelu ? "gelu_tanh" : "none")}}};
  std::vector<void *> inputs = {input.data(), weight.data(), bias.data()};
  if (hasResidual) {
    call.inputs.push_back(floats({rows, columns}));
    inputs.push_back(residual.data());
  }
  call.run(inputs, {residual.data()}, numThreads);
  return residual;
}

void checkLinear(const LinearSize &size, int64_t rows, int numThreads) {
  Floats x = randomFloats(rows * size.depth, 3);
  Floats residual = randomFloats(rows * size.columns, 4);
  Floats together = runLinear(size, x, residual, numThreads);
  for (int64_t row = 0; row < rows; ++row)
    expectSameBits(rowOf(together, row, size.columns),
                   runLinear(size, rowOf(x, row, size.depth),
                             rowOf(residual, row, size.columns), 1),
                   fmt::format("linear [{}, {}] to {}: row {}", rows,
                               size.depth, size.columns, row));
}

/// add_layer_norm of rows a and b: their sum, then its norm.
Floats runNorm(Floats a, Floats b, int64_t columns, int numThreads) {
  auto rows = static_cast<int64_t>(a.size()) / columns;
  Floats scale = randomFloats(columns, 5), bias = randomFloats(columns, 6);
  Floats out(2 * rows * columns);
  KernelCall call = {
      .kernel = "add_layer_norm",
      .inputs = {floats({rows, columns}), floats({rows, columns}),
                 floats({columns}), floats({columns})},
      .outputs = {floats({rows, columns}), floats({rows, columns})},
      .attributes = {{"epsilon", 1e-5}}};
  call.run({a.data(), b.data(), scale.data(), bias.data()},
           {out.data(), out.data() + rows * columns}, numThreads);
  return out;
}

/// Rows of sequences of different lengths, each at its last position.
struct DecodeRows {
  static constexpr int64_t heads = 3, blocks = 4, blockSize = 32;
  int64_t headSize = 16;
  Floats queries, cache; // [rows, heads, headSize]; [rows * blocks, 1, 2, ...]
  Ints positions, tables;

  int64_t columns() const { return heads * headSize; }
  DecodeRows(int64_t rows, int64_t headSize)
      : headSize(headSize), queries(randomFloats(rows * columns(), 7)),
        cache(randomFloats(rows * blocks * 2 * columns() * blockSize, 8)) {
    for (int64_t row = 0; row < rows; ++row)
      positions.push_back(static_cast<int32_t>((37 * row + 5) % 128));
    for (int64_t block = 0; block < rows * blocks; ++block)
      tables.push_back(static_cast<int32_t>(rows * blocks - 1 - block));
  }

  /// Rows `begin` to `end` in a program of `padded` rows.
  Floats run(int64_t begin, int64_t end, int64_t padded, int numThreads) {
    Floats q(padded * columns(), 0.5F), out(padded * columns());
    Ints at(padded), sequences(padded), table(padded * blocks);
    Ints valid = {static_cast<int32_t>(end - begin)};
    std::copy(queries.begin() + begin * columns(),
              queries.begin() + end * columns(), q.begin());
    std::copy(positions.begin() + begin, positions.begin() + end, at.begin());
    std::copy(tables.begin() + begin * blocks, tables.begin() + end * blocks,
              table.begin());
    for (int64_t row = 0; row < end - begin; ++row)
      sequences[row] = static_cast<int32_t>(row);
    auto numBlocks = static_cast<int64_t>(tables.size());
    KernelCall call = {
        .kernel = "cached_attention",
        .inputs = {floats({padded, columns()}),
                   floats({numBlocks, 1, 2, heads, blockSize, headSize}),
                   ints({padded}), ints({padded}), ints({padded, blocks}),
                   ints({1})},
        .outputs = {floats({padded, columns()})},
        .attributes = {{"layer", int64_t{0}}, {"scale", 0.25}},
        .scratchBytesPerThread = attentionScratchBytesPerThread(headSize)};
    call.run({q.data(), cache.data(), at.data(), sequences.data(), table.data(),
              valid.data()},
             {out.data()}, numThreads);
    out.resize((end - begin) * columns());
    return out;
  }
};

} // namespace

TEST(RowIdentity, OfLinearsInPanels) {
  for (int64_t rows = 1; rows <= maxPanelRows; ++rows)
    for (int numThreads : {1, 2, 3})
      for (const LinearSize &size :
           {LinearSize{5, 70, false, false}, LinearSize{100, 64, true, false},
            LinearSize{768, 200, false, true},
            LinearSize{1021, 65, true, true}})
        checkLinear(size, rows, numThreads);
}

TEST(RowIdentity, OfNorms) {
  for (int64_t columns : {7, 64, 100, 768})
    for (int64_t rows = 1; rows <= 8; ++rows) {
      Floats a = randomFloats(rows * columns, 9);
      Floats b = randomFloats(rows * columns, 10);
      Floats together = runNorm(a, b, columns, 2);
      for (int64_t row = 0; row < rows; ++row) {
        Floats alone =
            runNorm(rowOf(a, row, columns), rowOf(b, row, columns), columns, 1);
        expectSameBits(rowOf(together, row, columns), rowOf(alone, 0, columns),
                       fmt::format("sum {} of {}", row, rows));
        expectSameBits(rowOf(together, rows + row, columns),
                       rowOf(alone, 1, columns),
                       fmt::format("norm {} of {}", row, rows));
      }
    }
}

TEST(RowIdentity, OfCachedAttention) {
  for (int64_t headSize : {16, 64, 20}) // 20: no multiple of the lanes
    for (int64_t rows = 1; rows <= 8; ++rows) {
      DecodeRows decode(rows, headSize);
      Floats together = decode.run(0, rows, 8, 2);
      for (int64_t row = 0; row < rows; ++row)
        expectSameBits(
            rowOf(together, row, decode.columns()),
            decode.run(row, row + 1, 1, 1),
            fmt::format("head size {}: row {} of {}", headSize, row, rows));
    }
}

} // namespace tandem::testing
