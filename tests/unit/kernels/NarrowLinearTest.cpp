#include "backend/PackConstants.h"
#include "backend/kernels/Scratch.h"
#include "support/Quantization.h"
#include "tests/unit/kernels/NarrowValues.h"

#include <cmath>

namespace tandem::testing {

namespace {

struct NarrowCase {
  ElementType type;
  int64_t rows, depth, columns;
  Layout layout = Layout::ColumnPanels;
  bool whole = false; // bias, activation and residual too

  ElementType xType() const {
    return type == ElementType::BF16 ? type : ElementType::QInt8;
  }
  std::vector<int64_t> weightShape() const {
    return layout == Layout::RowPanels ? std::vector{columns, depth}
                                       : std::vector{depth, columns};
  }
  std::string text() const {
    return fmt::format("{} [{}, {}] x {} {}", name(type), rows, depth, columns,
                       layout == Layout::RowPanels ? "rows" : "columns");
  }
};

/// Feature n's inputs of a plain weight.
Floats channelOf(const NarrowCase &c, const Floats &weight, int64_t n) {
  Floats channel(c.depth);
  for (int64_t k = 0; k < c.depth; ++k)
    channel[k] = c.layout == Layout::RowPanels ? weight[n * c.depth + k]
                                               : weight[k * c.columns + n];
  return channel;
}

PackedWeight packed(const NarrowCase &c, const Floats &weight, int threads) {
  WeightStore store;
  store.tensors["w"] = {ElementType::F32, c.weightShape(),
                        reinterpret_cast<const std::byte *>(weight.data())};
  Executable executable;
  executable.constants.push_back({.name = "w",
                                  .shape = c.weightShape(),
                                  .layout = c.layout,
                                  .type = c.type});
  executable.constantBytes = executable.constants[0].sizeInBytes();
  PackedWeight result{c.type, c.depth, c.columns, {}};
  result.bytes.assign(executable.constantBytes, std::byte{0x55});
  auto done = packConstants(executable, store, result.bytes.data(), threads);
  EXPECT_TRUE(done.has_value()) << done.error().message;
  return result;
}

Value narrow(std::vector<int64_t> shape, ElementType type, Layout layout) {
  Value value = floats(std::move(shape));
  value.type = type;
  value.layout = layout;
  if (layout != Layout::Plain)
    value.segment = Segment::Constant;
  else
    value.rowStride = plainRowStride(value.shape.back(), type);
  return value;
}

std::vector<std::byte> castOf(const NarrowCase &c, Floats x, int threads) {
  Value out = narrow({c.rows, c.depth}, c.xType(), Layout::Plain);
  std::vector<std::byte> bytes(
      storedSizeInBytes(out.shape, out.type, Layout::Plain), std::byte{0x55});
  KernelCall call{.kernel = "cast",
                  .inputs = {floats({c.rows, c.depth})},
                  .outputs = {out},
                  .attributes = {}};
  call.run({x.data()}, {bytes.data()}, threads);
  return bytes;
}

/// What the definition makes of a channel.
std::vector<double> narrowed(ElementType type, const Floats &channel) {
  std::vector<double> values(channel.size());
  std::vector<int8_t> q(channel.size());
  std::vector<uint8_t> steps(channel.size() / 32 + 1);
  float scale = 0;
  if (type == ElementType::QInt8)
    scale = quantizeToInt8(channel, q.data());
  if (type == ElementType::QInt4)
    scale = quantizeToInt4(channel, q.data(), steps.data());
  for (size_t k = 0; k < channel.size(); ++k)
    values[k] = type == ElementType::BF16
                    ? bfloat16ToFloat(floatToBfloat16(channel[k]))
                : type == ElementType::QInt8
                    ? static_cast<double>(scale) * q[k]
                    : static_cast<double>(scale) * steps[k / 32] * q[k];
  return values;
}

void checkPacked(const NarrowCase &c, int threads) {
  Floats weight = randomFloats(c.depth * c.columns, 2);
  PackedWeight got = packed(c, weight, threads);
  for (int64_t n = 0; n < c.columns; ++n) {
    std::vector<double> expected = narrowed(c.type, channelOf(c, weight, n));
    for (int64_t k = 0; k < c.depth; ++k)
      ASSERT_EQ(got.at(n, k), expected[k])
          << c.text() << ": " << n << ", " << k;
  }
}

void checkCast(const NarrowCase &c, int threads) {
  Floats x = randomFloats(c.rows * c.depth, 1);
  std::vector<std::byte> got = castOf(c, x, threads);
  for (int64_t row = 0; row < c.rows; ++row) {
    auto begin = x.begin() + row * c.depth;
    std::vector<double> expected =
        narrowed(c.xType(), Floats(begin, begin + c.depth));
    for (int64_t k = 0; k < c.depth; ++k)
      ASSERT_EQ(castAt(got, c.xType(), {c.rows, c.depth}, row, k), expected[k])
          << c.text() << ": " << row << ", " << k;
  }
}

struct Operands {
  std::vector<std::byte> x;
  PackedWeight weight;
  Floats bias, residual;
};

/// The product of the narrow numbers, in double.
void expectProduct(const NarrowCase &c, const Operands &o, const Floats &got) {
  std::vector<double> expected, tolerance;
  for (int64_t row = 0; row < c.rows; ++row)
    for (int64_t n = 0; n < c.columns; ++n) {
      double sum = c.whole ? o.bias[n] : 0, magnitude = std::abs(sum);
      for (int64_t k = 0; k < c.depth; ++k) {
        double product = castAt(o.x, c.xType(), {c.rows, c.depth}, row, k) *
                         o.weight.at(n, k);
        sum += product;
        magnitude += std::abs(product);
      }
      double residual = c.whole ? o.residual[row * c.columns + n] : 0;
      expected.push_back((c.whole ? std::max(sum, 0.0) : sum) + residual);
      tolerance.push_back(productTolerance(c.depth, magnitude) +
                          1e-6 * (1 + std::abs(sum)));
    }
  expectClose(got, expected, tolerance, c.text());
}

void checkLinear(const NarrowCase &c, int threads) {
  Operands o{castOf(c, randomFloats(c.rows * c.depth, 1), threads),
             packed(c, randomFloats(c.depth * c.columns, 2), 1),
             randomFloats(c.columns, 3), randomFloats(c.rows * c.columns, 4)};
  Floats out = o.residual;
  KernelCall call{
      .kernel = "linear",
      .inputs = {narrow({c.rows, c.depth}, c.xType(), Layout::Plain),
                 narrow(c.weightShape(), c.type, c.layout)},
      .outputs = {floats({c.rows, c.columns})},
      .attributes = {{"transpose_rhs", int64_t{c.layout == Layout::RowPanels}},
                     {"has_bias", int64_t{c.whole}},
                     {"has_residual", int64_t{c.whole}},
                     {"activation", std::string(c.whole ? "relu" : "none")}}};
  std::vector<void *> inputs = {o.x.data(), o.weight.bytes.data()};
  if (c.whole) {
    call.inputs.push_back(floats({c.columns}));
    call.inputs.push_back(floats({c.rows, c.columns}));
    inputs.push_back(o.bias.data());
    inputs.push_back(out.data());
  }
  if (linearTakesScratch(c.rows, true))
    call.scratchBytesPerThread =
        linearScratchBytesPerThread(c.rows, c.depth, c.type);
  call.run(inputs, {out.data()}, threads);
  expectProduct(c, o, out);
}

class NarrowLinear : public ::testing::TestWithParam<ElementType> {};

TEST_P(NarrowLinear, WeightsLieAsTheLayoutSays) {
  for (auto [depth, columns] :
       {std::pair{1, 1}, {35, 65}, {64, 64}, {31, 130}, {97, 63}, {160, 5}})
    for (Layout layout : {Layout::ColumnPanels, Layout::RowPanels})
      for (int threads : {1, 3})
        checkPacked({GetParam(), 1, depth, columns, layout}, threads);
}

TEST_P(NarrowLinear, CastsAreTheNearest) {
  for (int64_t depth : {1, 31, 64, 65, 300})
    for (int64_t rows : {1, 5})
      checkCast({GetParam(), rows, depth, 1}, 2);
}

TEST_P(NarrowLinear, FewRowsMultiply) {
  for (int64_t rows = 1; rows <= maxPanelRows; ++rows)
    checkLinear({GetParam(), rows, 96, 70}, 2);
  for (int64_t depth : {1, 3, 31, 33, 35, 65, 1600})
    for (int64_t columns : {1, 63, 65, 200})
      checkLinear({GetParam(), 2, depth, columns, Layout::RowPanels}, 2);
}

TEST_P(NarrowLinear, ManyRowsMultiply) {
  for (int64_t rows : {9, 16, 100})
    for (auto [depth, columns] :
         {std::pair{64, 256}, {35, 65}, {1, 1}, {192, 300}, {1600, 130}})
      for (Layout layout : {Layout::ColumnPanels, Layout::RowPanels})
        checkLinear({GetParam(), rows, depth, columns, layout}, 2);
}

TEST_P(NarrowLinear, BiasActivationAndResidualFollow) {
  for (int64_t rows : {1, 7, 33})
    checkLinear({.type = GetParam(),
                 .rows = rows,
                 .depth = 72,
                 .columns = 90,
                 .whole = true},
                2);
}

INSTANTIATE_TEST_SUITE_P(, NarrowLinear,
                         ::testing::Values(ElementType::BF16,
                                           ElementType::QInt8,
                                           ElementType::QInt4),
                         [](const auto &info) {
                           return std::string(name(info.param));
                         });

} // namespace

} // namespace tandem::testing
