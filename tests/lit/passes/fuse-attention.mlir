// softmax(mask(scale q k^T)) v becomes one op on rows.
// RUN: tandem-opt %s --fuse-attention --split-input-file | FileCheck %s

// Factors on both sides of the mask multiply: 0.5 * 4.
// CHECK-LABEL: @attention
// CHECK:         tandem.attention {{.*}} {heads = 3 : i64, scale = 2.000000e+00 : f64}
// CHECK-NOT:     tandem.softmax
func.func @attention(%q: tensor<3x4x2xf32>, %k: tensor<3x4x2xf32>, %v: tensor<3x4x2xf32>, %p: tensor<4xi32>) -> tensor<3x4x2xf32> {
  %s0 = tandem.matmul %q, %k {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.scale %s0 {factor = 0.5 : f64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %s2 = tandem.causal_mask %s1, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s3 = tandem.scale %s2 {factor = 4.0 : f64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %s4 = tandem.softmax %s3 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s4, %v : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %y : tensor<3x4x2xf32>
}

// -----

// Queries that come as rows are taken as rows: nothing moves.
// CHECK-LABEL: @rows
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<4x6xf32>
// CHECK-NEXT:    %[[Y:.*]] = tandem.attention %[[X]], %[[X]], %[[X]], %{{.*}} {heads = 3 : i64, scale = 1.000000e+00 : f64}
// CHECK-NEXT:    return %[[Y]]
func.func @rows(%x: tensor<4x6xf32>, %p: tensor<4xi32>) -> tensor<4x6xf32> {
  %r = tandem.reshape %x {shape = array<i64: 4, 3, 2>} : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %h = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %s0 = tandem.matmul %h, %h {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.causal_mask %s0, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s2 = tandem.softmax %s1 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %c = tandem.matmul %s2, %h : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %t = tandem.transpose %c {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  %y = tandem.reshape %t {shape = array<i64: 4, 6>} : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// Heads made by transposing before splitting, keys and values with their rows
// last, queries scaled before they meet the keys: nothing moves either, and the
// factors multiply, 0.5 * 4.
// CHECK-LABEL: @columns_first
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<4x6xf32>, %[[Z:[a-z0-9]+]]: tensor<4x6xf32>
// CHECK-NEXT:    %[[Y:.*]] = tandem.attention %[[X]], %[[Z]], %[[Z]], %{{.*}} {heads = 3 : i64, scale = 2.000000e+00 : f64}
// CHECK-NEXT:    return %[[Y]]
func.func @columns_first(%x: tensor<4x6xf32>, %z: tensor<4x6xf32>, %p: tensor<4xi32>) -> tensor<4x6xf32> {
  %q0 = tandem.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %q1 = tandem.reshape %q0 {shape = array<i64: 3, 2, 4>} : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  %q2 = tandem.scale %q1 {factor = 4.0 : f64} : (tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  %q = tandem.transpose %q2 {permutation = array<i64: 0, 2, 1>} : (tensor<3x2x4xf32>) -> tensor<3x4x2xf32>
  %k0 = tandem.transpose %z {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %k = tandem.reshape %k0 {shape = array<i64: 3, 2, 4>} : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  %s0 = tandem.matmul %q, %k : (tensor<3x4x2xf32>, tensor<3x2x4xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.causal_mask %s0, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s2 = tandem.scale %s1 {factor = 0.5 : f64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %s3 = tandem.softmax %s2 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %c = tandem.matmul %s3, %k {transpose_rhs} : (tensor<3x4x4xf32>, tensor<3x2x4xf32>) -> tensor<3x4x2xf32>
  %y0 = tandem.transpose %c {permutation = array<i64: 0, 2, 1>} : (tensor<3x4x2xf32>) -> tensor<3x2x4xf32>
  %y1 = tandem.reshape %y0 {shape = array<i64: 6, 4>} : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
  %y = tandem.transpose %y1 {permutation = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// Something else reads the scaled queries: they stay.
// CHECK-LABEL: @scaled_queries_read_twice
// CHECK:         %[[Q:.*]] = tandem.scale %{{.*}} {factor = 4.000000e+00 : f64}
// CHECK:         tandem.attention {{.*}} {heads = 3 : i64, scale = 1.000000e+00 : f64}
func.func @scaled_queries_read_twice(%x: tensor<3x4x2xf32>, %k: tensor<3x4x2xf32>, %p: tensor<4xi32>) -> (tensor<3x4x2xf32>, tensor<3x4x2xf32>) {
  %q = tandem.scale %x {factor = 4.0 : f64} : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %s0 = tandem.matmul %q, %k {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.causal_mask %s0, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s2 = tandem.softmax %s1 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s2, %k : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %y, %q : tensor<3x4x2xf32>, tensor<3x4x2xf32>
}

// -----

// Without a mask every row sees all.
// CHECK-LABEL: @no_mask
// CHECK:         tandem.softmax
func.func @no_mask(%q: tensor<3x4x2xf32>, %k: tensor<3x4x2xf32>, %v: tensor<3x4x2xf32>) -> tensor<3x4x2xf32> {
  %s0 = tandem.matmul %q, %k {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.softmax %s0 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s1, %v : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %y : tensor<3x4x2xf32>
}

// -----

// A negative factor turns what the mask hides into what counts most.
// CHECK-LABEL: @negative
// CHECK:         tandem.softmax
func.func @negative(%q: tensor<3x4x2xf32>, %k: tensor<3x4x2xf32>, %v: tensor<3x4x2xf32>, %p: tensor<4xi32>) -> tensor<3x4x2xf32> {
  %s0 = tandem.matmul %q, %k {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.causal_mask %s0, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s2 = tandem.scale %s1 {factor = -1.0 : f64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %s3 = tandem.softmax %s2 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s3, %v : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %y : tensor<3x4x2xf32>
}

// -----

// The weights have a second reader.
// CHECK-LABEL: @read_twice
// CHECK:         tandem.softmax
func.func @read_twice(%q: tensor<3x4x2xf32>, %k: tensor<3x4x2xf32>, %v: tensor<3x4x2xf32>, %p: tensor<4xi32>) -> (tensor<3x4x2xf32>, tensor<3x4x4xf32>) {
  %s0 = tandem.matmul %q, %k {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.causal_mask %s0, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s2 = tandem.softmax %s1 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s2, %v : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %y, %s2 : tensor<3x4x2xf32>, tensor<3x4x4xf32>
}

// -----

// Keys and values that come from the cache stay there.
// CHECK-LABEL: @cached
// CHECK:         tandem.cached_attention %{{.*}}, %{{.*}} rows({{.*}}) {layer = 1 : i64, scale = 5.000000e-01 : f64}
// CHECK-NOT:     tandem.kv_read
!cache = !tandem.kv_cache<layers = 2, heads = 3, head_size = 2, block = 32, positions = 40, f32>
func.func @cached(%c: !cache, %q: tensor<3x4x1x2xf32>, %p: tensor<4xi32>, %s: tensor<4xi32>, %b: tensor<4x2xi32>, %n: tensor<1xi32>) -> tensor<3x4x1x2xf32> {
  %k = tandem.kv_read %c rows(%p, %s, %b, %n) {layer = 1 : i64, num_sequences = 4 : i64, part = #tandem<part key>}
      : (!cache, tensor<4xi32>, tensor<4xi32>, tensor<4x2xi32>, tensor<1xi32>) -> tensor<3x4x?x2xf32>
  %v = tandem.kv_read %c rows(%p, %s, %b, %n) {layer = 1 : i64, num_sequences = 4 : i64, part = #tandem<part value>}
      : (!cache, tensor<4xi32>, tensor<4xi32>, tensor<4x2xi32>, tensor<1xi32>) -> tensor<3x4x?x2xf32>
  %s0 = tandem.matmul %q, %k {transpose_rhs} : (tensor<3x4x1x2xf32>, tensor<3x4x?x2xf32>) -> tensor<3x4x1x?xf32>
  %s1 = tandem.scale %s0 {factor = 0.5 : f64} : (tensor<3x4x1x?xf32>) -> tensor<3x4x1x?xf32>
  %s2 = tandem.causal_mask %s1, %p : (tensor<3x4x1x?xf32>, tensor<4xi32>) -> tensor<3x4x1x?xf32>
  %s3 = tandem.softmax %s2 : (tensor<3x4x1x?xf32>) -> tensor<3x4x1x?xf32>
  %y = tandem.matmul %s3, %v : (tensor<3x4x1x?xf32>, tensor<3x4x?x2xf32>) -> tensor<3x4x1x2xf32>
  return %y : tensor<3x4x1x2xf32>
}

// -----

// Keys of one layer and values of another are no attention of either.
// CHECK-LABEL: @two_layers
// CHECK:         tandem.softmax
!cache = !tandem.kv_cache<layers = 2, heads = 3, head_size = 2, block = 32, positions = 40, f32>
func.func @two_layers(%c: !cache, %q: tensor<3x1x1x2xf32>, %p: tensor<1xi32>, %s: tensor<1xi32>, %b: tensor<1x2xi32>, %n: tensor<1xi32>) -> tensor<3x1x1x2xf32> {
  %k = tandem.kv_read %c rows(%p, %s, %b, %n) {layer = 0 : i64, num_sequences = 1 : i64, part = #tandem<part key>}
      : (!cache, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<3x1x?x2xf32>
  %v = tandem.kv_read %c rows(%p, %s, %b, %n) {layer = 1 : i64, num_sequences = 1 : i64, part = #tandem<part value>}
      : (!cache, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<3x1x?x2xf32>
  %s0 = tandem.matmul %q, %k {transpose_rhs} : (tensor<3x1x1x2xf32>, tensor<3x1x?x2xf32>) -> tensor<3x1x1x?xf32>
  %s1 = tandem.causal_mask %s0, %p : (tensor<3x1x1x?xf32>, tensor<1xi32>) -> tensor<3x1x1x?xf32>
  %s2 = tandem.softmax %s1 : (tensor<3x1x1x?xf32>) -> tensor<3x1x1x?xf32>
  %y = tandem.matmul %s2, %v : (tensor<3x1x1x?xf32>, tensor<3x1x?x2xf32>) -> tensor<3x1x1x2xf32>
  return %y : tensor<3x1x1x2xf32>
}
