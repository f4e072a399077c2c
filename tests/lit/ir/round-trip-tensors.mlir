// Every op on tensors, twice through printer and parser.
// RUN: tandem-opt %s | tandem-opt | FileCheck %s

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>

// CHECK: tandem.parameter @wte : tensor<97x32xf32>
tandem.parameter @wte : tensor<97x32xf32>
// CHECK: tandem.parameter @head : tensor<97x32xf32> layout row_panels at 4096
tandem.parameter @head : tensor<97x32xf32> layout row_panels at 4096

// CHECK: tandem.parameter @both : tensor<194x32xf32> parts [@wte, @more] dim 0 layout row_panels at 64
tandem.parameter @both : tensor<194x32xf32> parts [@wte, @more] dim 0 layout row_panels at 64
tandem.parameter @more : tensor<97x32xf32>

// CHECK-LABEL: func.func @graph
// CHECK-SAME: attributes {tandem.program = #tandem.program<model, positions = 64>}
func.func @graph(%tokens: tensor<?xi32>, %d: tensor<32xf32>) -> tensor<4x?x?xf32>
    attributes {tandem.program = #tandem.program<model, positions = 64>} {
  // CHECK: tandem.weight @wte : tensor<97x32xf32>
  %w = tandem.weight @wte : tensor<97x32xf32>
  // CHECK: tandem.embedding %{{.*}}, %{{.*}} : (tensor<97x32xf32>, tensor<?xi32>) -> tensor<?x32xf32>
  %x = tandem.embedding %w, %tokens : (tensor<97x32xf32>, tensor<?xi32>) -> tensor<?x32xf32>
  // CHECK: tandem.layer_norm %{{.*}} {epsilon = 1.000000e-05 : f64} : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
  %n = tandem.layer_norm %x, %d, %d {epsilon = 1.0e-5 : f64} : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
  // CHECK: tandem.cast %{{.*}} {to = bf16} : (tensor<?x32xf32>) -> tensor<?x32xbf16>
  %half = tandem.cast %n {to = bf16} : (tensor<?x32xf32>) -> tensor<?x32xbf16>
  // CHECK: tandem.cast %{{.*}} {to = !tandem.qint8} : (tensor<?x32xf32>) -> tensor<?x32x!tandem.qint8>
  %int8 = tandem.cast %n {to = !tandem.qint8} : (tensor<?x32xf32>) -> tensor<?x32x!tandem.qint8>
  // CHECK: tandem.add %{{.*}}, %{{.*}} : (tensor<?x32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
  %a = tandem.add %n, %d : (tensor<?x32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
  // CHECK: tandem.mul %{{.*}}, %{{.*}} : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  %m = tandem.mul %a, %x : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  // CHECK: tandem.activation %{{.*}} {kind = #tandem.activation<gelu_tanh>} : (tensor<?x32xf32>) -> tensor<?x32xf32>
  %g = tandem.activation %m {kind = #tandem.activation<gelu_tanh>} : (tensor<?x32xf32>) -> tensor<?x32xf32>
  // CHECK: tandem.slice %{{.*}} {dim = 1 : i64, offset = 8 : i64, size = 16 : i64} : (tensor<?x32xf32>) -> tensor<?x16xf32>
  %s = tandem.slice %g {dim = 1 : i64, offset = 8 : i64, size = 16 : i64} : (tensor<?x32xf32>) -> tensor<?x16xf32>
  // CHECK: tandem.reshape %{{.*}} {shape = array<i64: -1, 4, 4>} : (tensor<?x16xf32>) -> tensor<?x4x4xf32>
  %r = tandem.reshape %s {shape = array<i64: -1, 4, 4>} : (tensor<?x16xf32>) -> tensor<?x4x4xf32>
  // CHECK: tandem.transpose %{{.*}} {permutation = array<i64: 1, 0, 2>} : (tensor<?x4x4xf32>) -> tensor<4x?x4xf32>
  %t = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<?x4x4xf32>) -> tensor<4x?x4xf32>
  // CHECK: tandem.matmul %{{.*}}, %{{.*}} {transpose_rhs} : (tensor<4x?x4xf32>, tensor<4x?x4xf32>) -> tensor<4x?x?xf32>
  %q = tandem.matmul %t, %t {transpose_rhs} : (tensor<4x?x4xf32>, tensor<4x?x4xf32>) -> tensor<4x?x?xf32>
  // CHECK: tandem.scale %{{.*}} {factor = 5.000000e-01 : f64} : (tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  %f = tandem.scale %q {factor = 0.5 : f64} : (tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  // CHECK: tandem.causal_mask %{{.*}}, %{{.*}} : (tensor<4x?x?xf32>, tensor<?xi32>) -> tensor<4x?x?xf32>
  %c = tandem.causal_mask %f, %tokens : (tensor<4x?x?xf32>, tensor<?xi32>) -> tensor<4x?x?xf32>
  // CHECK: tandem.softmax %{{.*}} : (tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  %p = tandem.softmax %c : (tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  return %p : tensor<4x?x?xf32>
}

// CHECK-LABEL: func.func @cache
func.func @cache(%c: !cache, %x: tensor<2x32xf32>, %p: tensor<2xi32>, %s: tensor<2xi32>, %t: tensor<2x2xi32>, %v: tensor<1xi32>)
    -> (!cache, tensor<4x2x?x8xf32>, tensor<4x1x64x8xf32>, tensor<2x32xf32>) {
  // CHECK: tandem.kv_append %{{.*}}, %{{.*}}, %{{.*}} rows(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {layer = 2 : i64} : (!kv_cache, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<1xi32>) -> !kv_cache
  %d = tandem.kv_append %c, %x, %x rows(%p, %s, %t, %v) {layer = 2 : i64}
    : (!cache, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<1xi32>) -> !cache
  // CHECK: tandem.kv_read %{{.*}} rows({{.*}}) {layer = 2 : i64, num_sequences = 2 : i64, part = #tandem<part key>} : {{.*}} -> tensor<4x2x?x8xf32>
  %k = tandem.kv_read %d rows(%p, %s, %t, %v) {layer = 2 : i64, num_sequences = 2 : i64, part = #tandem<part key>}
    : (!cache, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<1xi32>) -> tensor<4x2x?x8xf32>
  // CHECK: tandem.kv_read %{{.*}} rows({{.*}}) {layer = 2 : i64, num_positions = 64 : i64, num_sequences = 1 : i64, part = #tandem<part value>} : {{.*}} -> tensor<4x1x64x8xf32>
  %b = tandem.kv_read %d rows(%p, %s, %t, %v) {layer = 2 : i64, num_positions = 64 : i64, num_sequences = 1 : i64, part = #tandem<part value>}
    : (!cache, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<1xi32>) -> tensor<4x1x64x8xf32>
  // CHECK: tandem.cached_attention %{{.*}}, %{{.*}} rows({{.*}}) {layer = 2 : i64, scale = 2.500000e-01 : f64}
  %y = tandem.cached_attention %x, %d rows(%p, %s, %t, %v) {layer = 2 : i64, scale = 0.25 : f64}
    : (tensor<2x32xf32>, !cache, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<1xi32>) -> tensor<2x32xf32>
  return %d, %k, %b, %y : !cache, tensor<4x2x?x8xf32>, tensor<4x1x64x8xf32>, tensor<2x32xf32>
}

// CHECK-LABEL: func.func @fused
func.func @fused(%x: tensor<4x32xf32>, %w: tensor<16x32xf32>, %b: tensor<16xf32>, %r: tensor<4x16xf32>, %p: tensor<4xi32>, %d: tensor<32xf32>)
    -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) {
  // CHECK: tandem.linear %{{.*}}, %{{.*}} bias(%{{.*}}) residual(%{{.*}}) {activation = #tandem.activation<relu>, transpose_rhs} : (tensor<4x32xf32>, tensor<16x32xf32>, tensor<16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = tandem.linear %x, %w bias(%b) residual(%r) {activation = #tandem.activation<relu>, transpose_rhs}
    : (tensor<4x32xf32>, tensor<16x32xf32>, tensor<16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: tandem.linear %{{.*}}, %{{.*}} {transpose_rhs} : (tensor<4x32xf32>, tensor<16x32xf32>) -> tensor<4x16xf32>
  %z = tandem.linear %x, %w {transpose_rhs} : (tensor<4x32xf32>, tensor<16x32xf32>) -> tensor<4x16xf32>
  // CHECK: tandem.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {heads = 4 : i64, scale = 3.500000e-01 : f64}
  %a = tandem.attention %x, %x, %x, %p {heads = 4 : i64, scale = 0.35 : f64}
    : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4xi32>) -> tensor<4x32xf32>
  // CHECK: tandem.add_embedding %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<16x32xf32>, tensor<4xi32>, tensor<4x32xf32>, tensor<4xi32>) -> tensor<4x32xf32>
  %e = tandem.add_embedding %w, %p, %x, %p : (tensor<16x32xf32>, tensor<4xi32>, tensor<4x32xf32>, tensor<4xi32>) -> tensor<4x32xf32>
  // CHECK: %{{.*}}:2 = tandem.add_layer_norm %{{.*}} {epsilon = 1.000000e-05 : f64} : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>)
  %s, %n = tandem.add_layer_norm %x, %a, %d, %d {epsilon = 1.0e-5 : f64}
    : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>)
  return %y, %z, %a, %s, %n : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>
}
