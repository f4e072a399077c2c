#include "TestModels.h"

#include "FixedConversation.h"
#include "HandWrittenGraphs.h"
#include "frontend/Gpt2Graph.h"
#include "passes/Passes.h"

#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tandem;

void tandem::loadTestDialects(MLIRContext &context) {
  context.loadDialect<TandemDialect, func::FuncDialect, memref::MemRefDialect,
                      arith::ArithDialect>();
}

namespace {

ModelConfig config(int64_t heads, int64_t embed, int64_t inner) {
  ModelConfig config;
  config.vocabSize = testVocabulary;
  config.positions = testPositions;
  config.layers = 2;
  config.heads = heads;
  config.embed = embed;
  config.inner = inner;
  return config;
}

TestModel gpt2(
    std::string name, ModelConfig config,
    void (*change)(ModelConfig &) = [](ModelConfig &) {}) {
  change(config);
  return {std::move(name), [config](MLIRContext &context) {
            return buildGpt2Forward(context, config);
          }};
}

TestModel fromText(std::string name, std::string text) {
  return {std::move(name), [text](MLIRContext &context) {
            loadTestDialects(context);
            return parseSourceString<ModuleOp>(text, &context);
          }};
}

/// Queries, keys and values by weights of their own, the queries scaled before
/// they meet the keys; attention and ReLU layer side by side on one norm; the
/// residual on the left, and a projection without a bias.
constexpr const char *sideBySide = R"(
tandem.parameter @words : tensor<11x6xf32>
tandem.parameter @places : tensor<40x6xf32>
tandem.parameter @gain : tensor<6xf32>
tandem.parameter @shift : tensor<6xf32>
tandem.parameter @ask : tensor<6x6xf32>
tandem.parameter @ask_bias : tensor<6xf32>
tandem.parameter @offer : tensor<6x6xf32>
tandem.parameter @give : tensor<6x6xf32>
tandem.parameter @give_bias : tensor<6xf32>
tandem.parameter @mix : tensor<6x6xf32>
tandem.parameter @up : tensor<8x6xf32>
tandem.parameter @up_bias : tensor<8xf32>
tandem.parameter @stretch : tensor<8xf32>
tandem.parameter @down : tensor<8x6xf32>
tandem.parameter @down_bias : tensor<6xf32>
!rows = tensor<?x6xf32>
!heads = tensor<2x?x3xf32>
func.func @forward(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"})
    -> (tensor<?x11xf32> {tandem.name = "logits"})
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %words = tandem.weight @words : tensor<11x6xf32>
  %places = tandem.weight @places : tensor<40x6xf32>
  %gain = tandem.weight @gain : tensor<6xf32>
  %shift = tandem.weight @shift : tensor<6xf32>
  %a = tandem.embedding %words, %t : (tensor<11x6xf32>, tensor<?xi32>) -> !rows
  %b = tandem.embedding %places, %p : (tensor<40x6xf32>, tensor<?xi32>) -> !rows
  %x = tandem.add %a, %b : (!rows, !rows) -> !rows
  %n = tandem.layer_norm %x, %gain, %shift {epsilon = 1.0e-3 : f64} : (!rows, tensor<6xf32>, tensor<6xf32>) -> !rows
  %wq = tandem.weight @ask : tensor<6x6xf32>
  %q0 = tandem.matmul %n, %wq : (!rows, tensor<6x6xf32>) -> !rows
  %bq = tandem.weight @ask_bias : tensor<6xf32>
  %q1 = tandem.add %q0, %bq : (!rows, tensor<6xf32>) -> !rows
  %q2 = tandem.scale %q1 {factor = 0.4 : f64} : (!rows) -> !rows
  %q3 = tandem.reshape %q2 {shape = array<i64: -1, 2, 3>} : (!rows) -> tensor<?x2x3xf32>
  %q = tandem.transpose %q3 {permutation = array<i64: 1, 0, 2>} : (tensor<?x2x3xf32>) -> !heads
  %wk = tandem.weight @offer : tensor<6x6xf32>
  %k0 = tandem.matmul %n, %wk : (!rows, tensor<6x6xf32>) -> !rows
  %k1 = tandem.reshape %k0 {shape = array<i64: -1, 2, 3>} : (!rows) -> tensor<?x2x3xf32>
  %k = tandem.transpose %k1 {permutation = array<i64: 1, 0, 2>} : (tensor<?x2x3xf32>) -> !heads
  %wv = tandem.weight @give : tensor<6x6xf32>
  %v0 = tandem.matmul %n, %wv {transpose_rhs} : (!rows, tensor<6x6xf32>) -> !rows
  %bv = tandem.weight @give_bias : tensor<6xf32>
  %v1 = tandem.add %v0, %bv : (!rows, tensor<6xf32>) -> !rows
  %v2 = tandem.reshape %v1 {shape = array<i64: -1, 2, 3>} : (!rows) -> tensor<?x2x3xf32>
  %v = tandem.transpose %v2 {permutation = array<i64: 1, 0, 2>} : (tensor<?x2x3xf32>) -> !heads
  %s0 = tandem.matmul %q, %k {transpose_rhs} : (!heads, !heads) -> tensor<2x?x?xf32>
  %s1 = tandem.causal_mask %s0, %p : (tensor<2x?x?xf32>, tensor<?xi32>) -> tensor<2x?x?xf32>
  %s2 = tandem.softmax %s1 : (tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %c0 = tandem.matmul %s2, %v : (tensor<2x?x?xf32>, !heads) -> !heads
  %c1 = tandem.transpose %c0 {permutation = array<i64: 1, 0, 2>} : (!heads) -> tensor<?x2x3xf32>
  %c = tandem.reshape %c1 {shape = array<i64: -1, 6>} : (tensor<?x2x3xf32>) -> !rows
  %wo = tandem.weight @mix : tensor<6x6xf32>
  %o = tandem.matmul %c, %wo : (!rows, tensor<6x6xf32>) -> !rows
  %y = tandem.add %x, %o : (!rows, !rows) -> !rows
  %wu = tandem.weight @up : tensor<8x6xf32>
  %u0 = tandem.matmul %n, %wu {transpose_rhs} : (!rows, tensor<8x6xf32>) -> tensor<?x8xf32>
  %bu = tandem.weight @up_bias : tensor<8xf32>
  %u1 = tandem.add %u0, %bu : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %u2 = tandem.activation %u1 {kind = #tandem.activation<relu>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %st = tandem.weight @stretch : tensor<8xf32>
  %u = tandem.mul %u2, %st : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %wd = tandem.weight @down : tensor<8x6xf32>
  %d0 = tandem.matmul %u, %wd : (tensor<?x8xf32>, tensor<8x6xf32>) -> !rows
  %bd = tandem.weight @down_bias : tensor<6xf32>
  %d = tandem.add %d0, %bd : (!rows, tensor<6xf32>) -> !rows
  %z = tandem.add %y, %d : (!rows, !rows) -> !rows
  %h = tandem.layer_norm %z, %gain, %shift {epsilon = 1.0e-3 : f64} : (!rows, tensor<6xf32>, tensor<6xf32>) -> !rows
  %l = tandem.matmul %h, %words {transpose_rhs} : (!rows, tensor<11x6xf32>) -> tensor<?x11xf32>
  return %l : tensor<?x11xf32>
})";

/// Scores scaled on both sides of the mask, values that two layers share, a
/// gated product of two halves, sums that several ops read, and a head [d, V].
constexpr const char *gated = R"(
tandem.parameter @table : tensor<11x4xf32>
tandem.parameter @clock : tensor<40x4xf32>
tandem.parameter @project : tensor<12x4xf32>
tandem.parameter @wide : tensor<4x10xf32>
tandem.parameter @narrow : tensor<5x4xf32>
tandem.parameter @gain : tensor<4xf32>
tandem.parameter @shift : tensor<4xf32>
tandem.parameter @read_out : tensor<4x11xf32>
!rows = tensor<?x4xf32>
!byhead = tensor<?x2x2xf32>
!heads = tensor<2x?x2xf32>
!scores = tensor<2x?x?xf32>
func.func @forward(%p: tensor<?xi32> {tandem.name = "tokens"}, %i: tensor<?xi32> {tandem.name = "positions"})
    -> (tensor<?x11xf32> {tandem.name = "logits"})
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %clock = tandem.weight @clock : tensor<40x4xf32>
  %table = tandem.weight @table : tensor<11x4xf32>
  %a = tandem.embedding %clock, %i : (tensor<40x4xf32>, tensor<?xi32>) -> !rows
  %b = tandem.embedding %table, %p : (tensor<11x4xf32>, tensor<?xi32>) -> !rows
  %x = tandem.add %a, %b : (!rows, !rows) -> !rows
  %w = tandem.weight @project : tensor<12x4xf32>
  %qkv = tandem.matmul %x, %w {transpose_rhs} : (!rows, tensor<12x4xf32>) -> tensor<?x12xf32>
  %v0 = tandem.slice %qkv {dim = 1 : i64, offset = 0 : i64, size = 4 : i64} : (tensor<?x12xf32>) -> !rows
  %k0 = tandem.slice %qkv {dim = 1 : i64, offset = 4 : i64, size = 4 : i64} : (tensor<?x12xf32>) -> !rows
  %q0 = tandem.slice %qkv {dim = 1 : i64, offset = 8 : i64, size = 4 : i64} : (tensor<?x12xf32>) -> !rows
  %v1 = tandem.reshape %v0 {shape = array<i64: -1, 2, 2>} : (!rows) -> !byhead
  %k1 = tandem.reshape %k0 {shape = array<i64: -1, 2, 2>} : (!rows) -> !byhead
  %q1 = tandem.reshape %q0 {shape = array<i64: -1, 2, 2>} : (!rows) -> !byhead
  %v = tandem.transpose %v1 {permutation = array<i64: 1, 0, 2>} : (!byhead) -> !heads
  %k = tandem.transpose %k1 {permutation = array<i64: 1, 0, 2>} : (!byhead) -> !heads
  %q = tandem.transpose %q1 {permutation = array<i64: 1, 0, 2>} : (!byhead) -> !heads
  %s0 = tandem.matmul %q, %k {transpose_rhs} : (!heads, !heads) -> !scores
  %s1 = tandem.scale %s0 {factor = 0.7 : f64} : (!scores) -> !scores
  %s2 = tandem.causal_mask %s1, %i : (!scores, tensor<?xi32>) -> !scores
  %s3 = tandem.scale %s2 {factor = 3.0 : f64} : (!scores) -> !scores
  %s4 = tandem.softmax %s3 : (!scores) -> !scores
  %c0 = tandem.matmul %s4, %v : (!scores, !heads) -> !heads
  // A negative factor on scores of the other sign: it is never fused.
  %t0 = tandem.matmul %k, %q {transpose_rhs} : (!heads, !heads) -> !scores
  %t1 = tandem.scale %t0 {factor = -0.6 : f64} : (!scores) -> !scores
  %t2 = tandem.causal_mask %t1, %i : (!scores, tensor<?xi32>) -> !scores
  %t3 = tandem.softmax %t2 : (!scores) -> !scores
  %c1 = tandem.matmul %t3, %v : (!scores, !heads) -> !heads
  %c2 = tandem.add %c0, %c1 : (!heads, !heads) -> !heads
  %c3 = tandem.transpose %c2 {permutation = array<i64: 1, 0, 2>} : (!heads) -> !byhead
  %c = tandem.reshape %c3 {shape = array<i64: -1, 4>} : (!byhead) -> !rows
  %y = tandem.add %c, %x : (!rows, !rows) -> !rows
  %gain = tandem.weight @gain : tensor<4xf32>
  %shift = tandem.weight @shift : tensor<4xf32>
  %n0 = tandem.layer_norm %y, %gain, %shift {epsilon = 0.01 : f64} : (!rows, tensor<4xf32>, tensor<4xf32>) -> !rows
  %n1 = tandem.layer_norm %y, %shift, %gain {epsilon = 0.02 : f64} : (!rows, tensor<4xf32>, tensor<4xf32>) -> !rows
  %wide = tandem.weight @wide : tensor<4x10xf32>
  %m0 = tandem.matmul %n0, %wide : (!rows, tensor<4x10xf32>) -> tensor<?x10xf32>
  %m1 = tandem.slice %m0 {dim = 1 : i64, offset = 0 : i64, size = 5 : i64} : (tensor<?x10xf32>) -> tensor<?x5xf32>
  %m2 = tandem.slice %m0 {dim = 1 : i64, offset = 5 : i64, size = 5 : i64} : (tensor<?x10xf32>) -> tensor<?x5xf32>
  %m3 = tandem.activation %m1 {kind = #tandem.activation<silu>} : (tensor<?x5xf32>) -> tensor<?x5xf32>
  %m4 = tandem.mul %m3, %m2 : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  %narrow = tandem.weight @narrow : tensor<5x4xf32>
  %m = tandem.matmul %m4, %narrow : (tensor<?x5xf32>, tensor<5x4xf32>) -> !rows
  %z0 = tandem.add %m, %m : (!rows, !rows) -> !rows
  %z1 = tandem.add %y, %z0 : (!rows, !rows) -> !rows
  %z2 = tandem.add %z1, %n1 : (!rows, !rows) -> !rows
  %out = tandem.weight @read_out : tensor<4x11xf32>
  %l = tandem.matmul %z2, %out : (!rows, tensor<4x11xf32>) -> tensor<?x11xf32>
  return %l : tensor<?x11xf32>
})";

} // namespace

std::vector<TestModel> tandem::testModels() {
  return {
      gpt2("one_head_of_odd_size", config(1, 5, 7)),
      gpt2("three_heads_exact_gelu", config(3, 9, 10),
           [](ModelConfig &c) { c.activation = Activation::GeluErf; }),
      gpt2("four_heads_relu_untied", config(4, 8, 32),
           [](ModelConfig &c) {
             c.activation = Activation::Relu;
             c.tieWordEmbeddings = false;
           }),
      gpt2("inverse_layer_scale_silu", config(2, 6, 3),
           [](ModelConfig &c) {
             c.layers = 3;
             c.scaleByInverseLayerIndex = true;
             c.activation = Activation::Silu;
           }),
      gpt2("unscaled_tanh", config(3, 3, 70),
           [](ModelConfig &c) {
             c.layers = 1;
             c.scaleAttentionWeights = false;
             c.activation = Activation::Tanh;
             c.layerNormEpsilon = 0.1;
           }),
      fromText("side_by_side", sideBySide),
      fromText("gated", gated),
      fromText("separate_projections", separateProjections()),
      fromText("columns_first", columnsFirst()),
  };
}
