#include "HandWrittenGraphs.h"

#include <fmt/format.h>
#include <regex>

using namespace tandem;

namespace {

constexpr const char *separateParameters = R"(
tandem.parameter @layer#.norm_gain : tensor<6xf32>
tandem.parameter @layer#.norm_shift : tensor<6xf32>
tandem.parameter @layer#.query.w : tensor<6x6xf32>
tandem.parameter @layer#.key.w : tensor<6x6xf32>
tandem.parameter @layer#.value.w : tensor<6x6xf32>
tandem.parameter @layer#.query.b : tensor<6xf32>
tandem.parameter @layer#.key.b : tensor<6xf32>
tandem.parameter @layer#.value.b : tensor<6xf32>
tandem.parameter @layer#.mix : tensor<6x6xf32>
tandem.parameter @layer#.up : tensor<6x10xf32>
tandem.parameter @layer#.up_bias : tensor<10xf32>
tandem.parameter @layer#.down : tensor<10x6xf32>
)";

constexpr const char *separateLayer = R"(
  %gain# = tandem.weight @layer#.norm_gain : !vector
  %shift# = tandem.weight @layer#.norm_shift : !vector
  %n# = tandem.layer_norm %x#, %gain#, %shift# {epsilon = 1.0e-3 : f64} : (!rows, !vector, !vector) -> !rows
  %wq# = tandem.weight @layer#.query.w : !square
  %bq# = tandem.weight @layer#.query.b : !vector
  %q0# = tandem.matmul %n#, %wq# : (!rows, !square) -> !rows
  %q1# = tandem.add %q0#, %bq# : (!rows, !vector) -> !rows
  %wk# = tandem.weight @layer#.key.w : !square
  %bk# = tandem.weight @layer#.key.b : !vector
  %k0# = tandem.matmul %n#, %wk# : (!rows, !square) -> !rows
  %k1# = tandem.add %k0#, %bk# : (!rows, !vector) -> !rows
  %wv# = tandem.weight @layer#.value.w : !square
  %bv# = tandem.weight @layer#.value.b : !vector
  %v0# = tandem.matmul %n#, %wv# : (!rows, !square) -> !rows
  %v1# = tandem.add %v0#, %bv# : (!rows, !vector) -> !rows
  %q2# = tandem.reshape %q1# {shape = array<i64: -1, 2, 3>} : (!rows) -> !byrow
  %q# = tandem.transpose %q2# {permutation = array<i64: 1, 0, 2>} : (!byrow) -> !heads
  %k2# = tandem.reshape %k1# {shape = array<i64: -1, 2, 3>} : (!rows) -> !byrow
  %k# = tandem.transpose %k2# {permutation = array<i64: 1, 0, 2>} : (!byrow) -> !heads
  %v2# = tandem.reshape %v1# {shape = array<i64: -1, 2, 3>} : (!rows) -> !byrow
  %v# = tandem.transpose %v2# {permutation = array<i64: 1, 0, 2>} : (!byrow) -> !heads
  %s0# = tandem.matmul %q#, %k# {transpose_rhs} : (!heads, !heads) -> !scores
  %s1# = tandem.scale %s0# {factor = 0.6 : f64} : (!scores) -> !scores
  %s2# = tandem.causal_mask %s1#, %p : (!scores, tensor<?xi32>) -> !scores
  %s3# = tandem.softmax %s2# : (!scores) -> !scores
  %c0# = tandem.matmul %s3#, %v# : (!scores, !heads) -> !heads
  %c1# = tandem.transpose %c0# {permutation = array<i64: 1, 0, 2>} : (!heads) -> !byrow
  %c# = tandem.reshape %c1# {shape = array<i64: -1, 6>} : (!byrow) -> !rows
  %wo# = tandem.weight @layer#.mix : !square
  %o# = tandem.matmul %c#, %wo# : (!rows, !square) -> !rows
  %y# = tandem.add %x#, %o# : (!rows, !rows) -> !rows
  %m# = tandem.layer_norm %y#, %shift#, %gain# {epsilon = 1.0e-3 : f64} : (!rows, !vector, !vector) -> !rows
  %wu# = tandem.weight @layer#.up : tensor<6x10xf32>
  %bu# = tandem.weight @layer#.up_bias : tensor<10xf32>
  %u0# = tandem.matmul %m#, %wu# : (!rows, tensor<6x10xf32>) -> !inner
  %u1# = tandem.add %u0#, %bu# : (!inner, tensor<10xf32>) -> !inner
  %u# = tandem.activation %u1# {kind = #tandem.activation<relu>} : (!inner) -> !inner
  %wd# = tandem.weight @layer#.down : tensor<10x6xf32>
  %d# = tandem.matmul %u#, %wd# : (!inner, tensor<10x6xf32>) -> !rows
)";

constexpr const char *columnsFirstText = R"(
tandem.parameter @words : tensor<11x4xf32>
tandem.parameter @places : tensor<40x4xf32>
tandem.parameter @gain : tensor<4xf32>
tandem.parameter @shift : tensor<4xf32>
tandem.parameter @ask : tensor<4x4xf32>
tandem.parameter @offer : tensor<4x4xf32>
tandem.parameter @give : tensor<4x4xf32>
tandem.parameter @mix : tensor<4x4xf32>
tandem.parameter @up : tensor<4x5xf32>
tandem.parameter @down : tensor<5x4xf32>
!rows = tensor<?x4xf32>
!columns = tensor<4x?xf32>
!heads = tensor<2x?x2xf32>
!rowslast = tensor<2x2x?xf32>
!scores = tensor<2x?x?xf32>
!vector = tensor<4xf32>
!square = tensor<4x4xf32>
func.func @forward(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"})
    -> (tensor<?x11xf32> {tandem.name = "logits"})
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %words = tandem.weight @words : tensor<11x4xf32>
  %places = tandem.weight @places : tensor<40x4xf32>
  %gain = tandem.weight @gain : !vector
  %shift = tandem.weight @shift : !vector
  %a = tandem.embedding %words, %t : (tensor<11x4xf32>, tensor<?xi32>) -> !rows
  %b = tandem.embedding %places, %p : (tensor<40x4xf32>, tensor<?xi32>) -> !rows
  %x = tandem.add %b, %a : (!rows, !rows) -> !rows
  %n = tandem.layer_norm %x, %gain, %shift {epsilon = 1.0e-3 : f64} : (!rows, !vector, !vector) -> !rows
  %wv = tandem.weight @give : !square
  %v0 = tandem.matmul %n, %wv {transpose_rhs} : (!rows, !square) -> !rows
  %v1 = tandem.transpose %v0 {permutation = array<i64: 1, 0>} : (!rows) -> !columns
  %v = tandem.reshape %v1 {shape = array<i64: 2, 2, -1>} : (!columns) -> !rowslast
  %wk = tandem.weight @offer : !square
  %k0 = tandem.matmul %n, %wk {transpose_rhs} : (!rows, !square) -> !rows
  %k1 = tandem.reshape %k0 {shape = array<i64: -1, 2, 2>} : (!rows) -> tensor<?x2x2xf32>
  %k = tandem.transpose %k1 {permutation = array<i64: 1, 2, 0>} : (tensor<?x2x2xf32>) -> !rowslast
  %wq = tandem.weight @ask : !square
  %q0 = tandem.matmul %n, %wq {transpose_rhs} : (!rows, !square) -> !rows
  %q1 = tandem.transpose %q0 {permutation = array<i64: 1, 0>} : (!rows) -> !columns
  %q2 = tandem.reshape %q1 {shape = array<i64: 2, 2, -1>} : (!columns) -> !rowslast
  %q3 = tandem.scale %q2 {factor = 0.4 : f64} : (!rowslast) -> !rowslast
  %q = tandem.transpose %q3 {permutation = array<i64: 0, 2, 1>} : (!rowslast) -> !heads
  %s0 = tandem.matmul %q, %k : (!heads, !rowslast) -> !scores
  %s1 = tandem.causal_mask %s0, %p : (!scores, tensor<?xi32>) -> !scores
  %s2 = tandem.scale %s1 {factor = 3.0 : f64} : (!scores) -> !scores
  %s3 = tandem.softmax %s2 : (!scores) -> !scores
  %c0 = tandem.matmul %s3, %v {transpose_rhs} : (!scores, !rowslast) -> !heads
  %c1 = tandem.transpose %c0 {permutation = array<i64: 0, 2, 1>} : (!heads) -> !rowslast
  %c2 = tandem.reshape %c1 {shape = array<i64: 4, -1>} : (!rowslast) -> !columns
  %c = tandem.transpose %c2 {permutation = array<i64: 1, 0>} : (!columns) -> !rows
  %wo = tandem.weight @mix : !square
  %o0 = tandem.matmul %c, %wo : (!rows, !square) -> !rows
  %o = tandem.scale %o0 {factor = 0.5 : f64} : (!rows) -> !rows
  %y = tandem.add %x, %o : (!rows, !rows) -> !rows
  %m = tandem.layer_norm %y, %gain, %shift {epsilon = 1.0e-3 : f64} : (!rows, !vector, !vector) -> !rows
  %wu = tandem.weight @up : tensor<4x5xf32>
  %u0 = tandem.matmul %m, %wu : (!rows, tensor<4x5xf32>) -> tensor<?x5xf32>
  %u = tandem.activation %u0 {kind = #tandem.activation<relu>} : (tensor<?x5xf32>) -> tensor<?x5xf32>
  %wd = tandem.weight @down : tensor<5x4xf32>
  %d0 = tandem.matmul %u, %wd : (tensor<?x5xf32>, tensor<5x4xf32>) -> !rows
  %d = tandem.scale %d0 {factor = 0.5 : f64} : (!rows) -> !rows
  %z = tandem.add %y, %d : (!rows, !rows) -> !rows
  %h = tandem.layer_norm %z, %shift, %gain {epsilon = 1.0e-3 : f64} : (!rows, !vector, !vector) -> !rows
  %l = tandem.matmul %h, %words {transpose_rhs} : (!rows, tensor<11x4xf32>) -> tensor<?x11xf32>
  return %l : tensor<?x11xf32>
})";

std::string ofLayer(const char *text, int layer) {
  // `#` alone: an attribute's alias follows it with a letter.
  return std::regex_replace(std::string(text), std::regex("#(?!tandem)"),
                            std::to_string(layer));
}

} // namespace

std::string tandem::separateProjections() {
  std::string parameters = "tandem.parameter @letters : tensor<11x6xf32>\n"
                           "tandem.parameter @slots : tensor<40x6xf32>\n";
  std::string body = R"(
!rows = tensor<?x6xf32>
!inner = tensor<?x10xf32>
!byrow = tensor<?x2x3xf32>
!heads = tensor<2x?x3xf32>
!scores = tensor<2x?x?xf32>
!vector = tensor<6xf32>
!square = tensor<6x6xf32>
func.func @forward(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"})
    -> (tensor<?x11xf32> {tandem.name = "logits"})
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %letters = tandem.weight @letters : tensor<11x6xf32>
  %slots = tandem.weight @slots : tensor<40x6xf32>
  %a = tandem.embedding %letters, %t : (tensor<11x6xf32>, tensor<?xi32>) -> !rows
  %b = tandem.embedding %slots, %p : (tensor<40x6xf32>, tensor<?xi32>) -> !rows
  %x0 = tandem.add %a, %b : (!rows, !rows) -> !rows
)";
  for (int layer : {0, 1}) {
    parameters += ofLayer(separateParameters, layer);
    body += ofLayer(separateLayer, layer);
    body += fmt::format(
        "  %x{0} = tandem.add %y{1}, %d{1} : (!rows, !rows) -> !rows\n",
        layer + 1, layer);
  }
  return parameters + body + R"(
  %h = tandem.layer_norm %x2, %gain0, %shift1 {epsilon = 1.0e-3 : f64} : (!rows, !vector, !vector) -> !rows
  %l = tandem.matmul %h, %letters {transpose_rhs} : (!rows, tensor<11x6xf32>) -> tensor<?x11xf32>
  return %l : tensor<?x11xf32>
})";
}

std::string tandem::columnsFirst() { return columnsFirstText; }
