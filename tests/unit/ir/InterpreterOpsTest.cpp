#include "Interpretation.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tandem;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A function of two arguments around one op.
std::string unary(const std::string &op, const std::string &in,
                  const std::string &out) {
  return "func.func @f(%x: " + in + ") -> " + out + " { %y = tandem." + op +
         " : (" + in + ") -> " + out + " return %y : " + out + " }";
}

std::string binary(const std::string &op, const std::string &a,
                   const std::string &b, const std::string &out) {
  return "func.func @f(%a: " + a + ", %b: " + b + ") -> " + out +
         " { %y = tandem." + op + " : (" + a + ", " + b + ") -> " + out +
         " return %y : " + out + " }";
}

} // namespace

TEST(InterpreterOps, EmbeddingTakesRows) {
  std::string text = binary("embedding %a, %b", "tensor<3x2xf32>",
                            "tensor<?xi32>", "tensor<?x2xf32>");
  auto y = interpretText(
      text, {Array({3, 2}, {1, 2, 3, 4, 5, 6}), Array({4}, {2, 0, 0, 1})});
  expectArray(y.at(0), {4, 2}, {5, 6, 1, 2, 1, 2, 3, 4});
}

TEST(InterpreterOps, AddEmbeddingSumsRows) {
  auto y = interpretText(
      R"(
    func.func @f(%a: tensor<3x2xf32>, %i: tensor<2xi32>, %b: tensor<2x2xf32>, %j: tensor<2xi32>)
        -> tensor<2x2xf32> {
      %y = tandem.add_embedding %a, %i, %b, %j
        : (tensor<3x2xf32>, tensor<2xi32>, tensor<2x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    })",
      {Array({3, 2}, {1, 2, 3, 4, 5, 6}), Array({2}, {2, 0}),
       Array({2, 2}, {10, 20, 30, 40}), Array({2}, {0, 1})});
  expectArray(y.at(0), {2, 2}, {15, 26, 31, 42});
}

TEST(InterpreterOps, AWeightWithPartsIsAllOfThem) {
  Interpretation interpretation(R"(
    tandem.parameter @qk : tensor<2x3xf32> parts [@q, @k] dim 1
    tandem.parameter @kk : tensor<4x1xf32> parts [@k, @k] dim 0
    tandem.parameter @q : tensor<2x2xf32>
    tandem.parameter @k : tensor<2x1xf32>
    func.func @f() -> (tensor<2x3xf32>, tensor<4x1xf32>) {
      %0 = tandem.weight @qk : tensor<2x3xf32>
      %1 = tandem.weight @kk : tensor<4x1xf32>
      return %0, %1 : tensor<2x3xf32>, tensor<4x1xf32>
    })");
  interpretation.weights = {{"q", Array({2, 2}, {1, 2, 3, 4})},
                            {"k", Array({2, 1}, {5, 6})}};
  auto y = interpretation.run("f", {});
  ASSERT_TRUE(succeeded(y)) << interpretation.errors();
  expectArray(y->at(0), {2, 3}, {1, 2, 5, 3, 4, 6});
  expectArray(y->at(1), {4, 1}, {5, 6, 5, 6});
  interpretation.weights.erase("k");
  EXPECT_TRUE(failed(interpretation.run("f", {})));
  EXPECT_NE(interpretation.errors().find("got no value for 'k'"),
            std::string::npos);
}

// Rows [1, 3] and [2, 2]: means 2 and 2, variances 1 and 0.
TEST(InterpreterOps, LayerNormUsesTheBiasedVariance) {
  auto y = interpretText(
      R"(
    func.func @f(%x: tensor<2x2xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>)
        -> tensor<2x2xf32> {
      %y = tandem.layer_norm %x, %s, %b {epsilon = 3.0 : f64}
        : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    })",
      {Array({2, 2}, {1, 3, 2, 2}), Array({2}, {10, 100}), Array({2}, {1, 2})});
  expectArray(y.at(0), {2, 2}, {-5 + 1, 50 + 2, 1, 2});
}

TEST(InterpreterOps, Matmul) {
  Array a({2, 3}, {1, 2, 3, 4, 5, 6});
  auto y = interpretText(binary("matmul %a, %b", "tensor<2x3xf32>",
                                "tensor<3x2xf32>", "tensor<2x2xf32>"),
                         {a, Array({3, 2}, {1, 0, 0, 1, 1, 1})});
  expectArray(y.at(0), {2, 2}, {4, 5, 10, 11});
  y = interpretText(binary("matmul %a, %b {transpose_rhs}", "tensor<2x3xf32>",
                           "tensor<2x3xf32>", "tensor<2x2xf32>"),
                    {a, Array({2, 3}, {1, 0, 1, 0, 1, 1})});
  expectArray(y.at(0), {2, 2}, {4, 5, 10, 11});
}

TEST(InterpreterOps, MatmulOfBatchesHasOneRhsOrMany) {
  Array a({2, 1, 2}, {1, 2, 3, 4});
  auto y = interpretText(binary("matmul %a, %b", "tensor<2x1x2xf32>",
                                "tensor<2x2x1xf32>", "tensor<2x1x1xf32>"),
                         {a, Array({2, 2, 1}, {1, 1, 10, 1})});
  expectArray(y.at(0), {2, 1, 1}, {3, 34});
  y = interpretText(binary("matmul %a, %b", "tensor<2x1x2xf32>",
                           "tensor<2x1xf32>", "tensor<2x1x1xf32>"),
                    {a, Array({2, 1}, {10, 1})});
  expectArray(y.at(0), {2, 1, 1}, {12, 34});
}

TEST(InterpreterOps, AddAndMulRepeatASuffix) {
  std::vector<Array> inputs = {Array({2, 2}, {1, 2, 3, 4}),
                               Array({2}, {10, 20})};
  auto y = interpretText(binary("add %a, %b", "tensor<2x2xf32>",
                                "tensor<2xf32>", "tensor<2x2xf32>"),
                         inputs);
  expectArray(y.at(0), {2, 2}, {11, 22, 13, 24});
  y = interpretText(binary("mul %a, %b", "tensor<2x2xf32>", "tensor<2xf32>",
                           "tensor<2x2xf32>"),
                    inputs);
  expectArray(y.at(0), {2, 2}, {10, 40, 30, 80});
}

TEST(InterpreterOps, Scale) {
  auto y = interpretText(
      unary("scale %x {factor = 0.5 : f64}", "tensor<2xf32>", "tensor<2xf32>"),
      {Array({2}, {3, -4})});
  expectArray(y.at(0), {2}, {1.5, -2});
}

// The formulas of the op's description at -1, 0 and 2, to 15 digits.
TEST(InterpreterOps, Activations) {
  auto activate = [](std::string kind) {
    return interpretText(
               unary("activation %x {kind = #tandem.activation<" + kind + ">}",
                     "tensor<3xf32>", "tensor<3xf32>"),
               {Array({3}, {-1, 0, 2})})
        .at(0);
  };
  expectArray(activate("relu"), {3}, {0, 0, 2});
  expectArray(activate("tanh"), {3},
              {-0.761594155955765, 0, 0.964027580075817});
  expectArray(activate("silu"), {3},
              {-0.268941421369995, 0, 1.761594155955765});
  expectArray(activate("gelu_erf"), {3},
              {-0.158655253931457, 0, 1.954499736103642});
  expectArray(activate("gelu_tanh"), {3},
              {-0.158808009391723, 0, 1.954597694087775});
}

TEST(InterpreterOps, SoftmaxOfLargeAndHiddenValues) {
  double e = std::exp(1.0);
  auto y =
      interpretText(unary("softmax %x", "tensor<2x3xf32>", "tensor<2x3xf32>"),
                    {Array({2, 3}, {1001, 1000, -infinity, 0, 0, 0})});
  expectArray(y.at(0), {2, 3},
              {e / (e + 1), 1 / (e + 1), 0, 1. / 3, 1. / 3, 1. / 3});
}

TEST(InterpreterOps, CausalMaskCountsRowsFromTheTrailingDimensions) {
  auto y = interpretText(
      binary("causal_mask %a, %b", "tensor<2x2x2xf32>", "tensor<2xi32>",
             "tensor<2x2x2xf32>"),
      {Array({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), Array({2}, {0, 5})});
  expectArray(y.at(0), {2, 2, 2}, {1, -infinity, 3, 4, 5, -infinity, 7, 8});
  // Two sequences of one row each: rows are the second dimension.
  y = interpretText(binary("causal_mask %a, %b", "tensor<1x2x1x2xf32>",
                           "tensor<2xi32>", "tensor<1x2x1x2xf32>"),
                    {Array({1, 2, 1, 2}, {1, 2, 3, 4}), Array({2}, {1, 0})});
  expectArray(y.at(0), {1, 2, 1, 2}, {1, 2, 3, -infinity});
}

TEST(InterpreterOps, ReshapeTransposeSlice) {
  Array x({2, 3}, {1, 2, 3, 4, 5, 6});
  auto y = interpretText(unary("reshape %x {shape = array<i64: -1, 2>}",
                               "tensor<2x3xf32>", "tensor<3x2xf32>"),
                         x);
  expectArray(y.at(0), {3, 2}, {1, 2, 3, 4, 5, 6});
  y = interpretText(unary("transpose %x {permutation = array<i64: 1, 0>}",
                          "tensor<2x3xf32>", "tensor<3x2xf32>"),
                    x);
  expectArray(y.at(0), {3, 2}, {1, 4, 2, 5, 3, 6});
  y = interpretText(unary("slice %x {dim = 1 : i64, offset = 1 : i64, "
                          "size = 2 : i64}",
                          "tensor<2x3xf32>", "tensor<2x2xf32>"),
                    x);
  expectArray(y.at(0), {2, 2}, {2, 3, 5, 6});
}

// Dimension i of the result is dimension permutation[i] of x: y[i, j, k] is
// x[j, k, i], and so y[1, 0, 1] = x[0, 1, 1].
TEST(InterpreterOps, TransposeOfThreeDimensions) {
  auto y =
      interpretText(unary("transpose %x {permutation = array<i64: 2, 0, 1>}",
                          "tensor<1x2x3xf32>", "tensor<3x1x2xf32>"),
                    Array({1, 2, 3}, {1, 2, 3, 4, 5, 6}));
  expectArray(y.at(0), {3, 1, 2}, {1, 4, 2, 5, 3, 6});
}

TEST(InterpreterOps, LinearAddsTheResidualLast) {
  auto y = interpretText(R"(
    func.func @f(%x: tensor<1x2xf32>, %w: tensor<2x2xf32>, %b: tensor<2xf32>,
                 %r: tensor<1x2xf32>) -> tensor<1x2xf32> {
      %y = tandem.linear %x, %w bias(%b) residual(%r)
          {activation = #tandem.activation<relu>, transpose_rhs}
        : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<1x2xf32>)
        -> tensor<1x2xf32>
      return %y : tensor<1x2xf32>
    })",
                         {Array({1, 2}, {1, 2}), Array({2, 2}, {1, 1, -1, -1}),
                          Array({2}, {10, 1}), Array({1, 2}, {-100, -200})});
  expectArray(y.at(0), {1, 2}, {13 - 100, -200});
}

TEST(InterpreterOps, AddLayerNormHasTwoResults) {
  auto y = interpretText(R"(
    func.func @f(%a: tensor<1x2xf32>, %b: tensor<1x2xf32>, %s: tensor<2xf32>,
                 %c: tensor<2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
      %y:2 = tandem.add_layer_norm %a, %b, %s, %c {epsilon = 0.0 : f64}
        : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>)
        -> (tensor<1x2xf32>, tensor<1x2xf32>)
      return %y#0, %y#1 : tensor<1x2xf32>, tensor<1x2xf32>
    })",
                         {Array({1, 2}, {1, 2}), Array({1, 2}, {0, 3}),
                          Array({2}, {1, 1}), Array({2}, {0, 7})});
  expectArray(y.at(0), {1, 2}, {1, 5});
  expectArray(y.at(1), {1, 2}, {-1, 8});
}

// Two heads of size 1. Row 0 sees itself; row 1 sees both, with equal scores
// in head 0 and 0 against ln 3 in head 1.
TEST(InterpreterOps, AttentionIsCausalAndByHead) {
  auto y = interpretText(R"(
    func.func @f(%q: tensor<2x2xf32>, %k: tensor<2x2xf32>, %v: tensor<2x2xf32>,
                 %p: tensor<2xi32>) -> tensor<2x2xf32> {
      %y = tandem.attention %q, %k, %v, %p {heads = 2 : i64, scale = 0.5 : f64}
        : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xi32>)
        -> tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    })",
                         {Array({2, 2}, {7, 7, 0, 2}),
                          Array({2, 2}, {5, 0, 9, std::log(3.0)}),
                          Array({2, 2}, {10, 4, 20, 8}), Array({2}, {0, 1})});
  expectArray(y.at(0), {2, 2}, {10, 4, 15, 4. / 4 + 8. * 3 / 4});
}

TEST(InterpreterOps, CastRoundsToBfloat16) {
  auto y = interpretText(
      unary("cast %x {to = bf16}", "tensor<1x3xf32>", "tensor<1x3xbf16>"),
      {Array({1, 3}, {1 + 0x1p-8, -3, 1 + 3 * 0x1p-8})}); // ties to even
  expectArray(y.at(0), {1, 3}, {1, -3, 1 + 0x1p-6});
}

TEST(InterpreterOps, CastScalesEachRow) {
  auto y = interpretText(unary("cast %x {to = !tandem.qint8}",
                               "tensor<2x3xf32>", "tensor<2x3x!tandem.qint8>"),
                         {Array({2, 3}, {254, 3, -1, 0, 0, 0})}); // scale 2
  expectArray(y.at(0), {2, 3}, {254, 4, 0, 0, 0, 0});
}

/// Channels are columns of column panels, and rows of row panels.
TEST(InterpreterOps, NarrowWeightsHaveAScaleAChannel) {
  Interpretation interpretation(R"(
    tandem.parameter @c : tensor<2x2x!tandem.qint8> layout column_panels
    tandem.parameter @r : tensor<2x2x!tandem.qint8> layout row_panels
    func.func @f(%x: tensor<1x2xf32>, %ids: tensor<2xi32>) -> (tensor<1x2xf32>, tensor<2x2xf32>) {
      %q = tandem.cast %x {to = !tandem.qint8} : (tensor<1x2xf32>) -> tensor<1x2x!tandem.qint8>
      %c = tandem.weight @c : tensor<2x2x!tandem.qint8>
      %0 = tandem.linear %q, %c : (tensor<1x2x!tandem.qint8>, tensor<2x2x!tandem.qint8>) -> tensor<1x2xf32>
      %r = tandem.weight @r : tensor<2x2x!tandem.qint8>
      %1 = tandem.embedding %r, %ids : (tensor<2x2x!tandem.qint8>, tensor<2xi32>) -> tensor<2x2xf32>
      return %0, %1 : tensor<1x2xf32>, tensor<2x2xf32>
    })");
  Array matrix({2, 2}, {254, 127, 3, -127}); // rows of scale 2 and 1
  interpretation.weights["c"] = matrix;      // columns of scale 2 and 1
  interpretation.weights["r"] = matrix;
  auto y =
      interpretation.run("f", {Array({1, 2}, {127, 1}), Array({2}, {0, 1})});
  ASSERT_TRUE(succeeded(y)) << interpretation.errors();
  expectArray(y->at(0), {1, 2}, {254 * 127 + 4, 127 * 127 - 127});
  expectArray(y->at(1), {2, 2}, {254, 128, 3, -127});
}
