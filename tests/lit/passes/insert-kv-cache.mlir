// Keys and values go into the cache, and the rows read their whole sequence from
// there: one sequence of 4 rows in prefill, 4 of one row in decode.
// RUN: tandem-opt %s --insert-kv-cache | FileCheck %s

tandem.parameter @w : tensor<11x6xf32>

// CHECK:       !kv_cache = !tandem.kv_cache<layers = 1, heads = 3, head_size = 2, block = 32, positions = 40, f32>
// CHECK-LABEL: @prefill
// CHECK-SAME:    (%[[CACHE:[a-z0-9]+]]: !kv_cache {tandem.name = "cache"}
// CHECK-SAME:    -> (!kv_cache {tandem.name = "cache"}, tensor<4x6xf32> {tandem.name = "hidden"})
// CHECK:         %[[NEXT:.*]] = tandem.kv_append %[[CACHE]], {{.*}} {layer = 0 : i64}
// CHECK:         %[[Q:.*]] = tandem.reshape {{.*}} -> tensor<3x1x4x2xf32>
// CHECK:         %[[KEYS:.*]] = tandem.kv_read %[[NEXT]] {{.*}}part = #tandem<part key>{{.*}} -> tensor<3x1x?x2xf32>
// CHECK:         %[[SCORES:.*]] = tandem.matmul %[[Q]], %[[KEYS]] {transpose_rhs}
// CHECK-NEXT:    tandem.scale %[[SCORES]] {factor = 5.000000e-01 : f64} : (tensor<3x1x4x?xf32>)
// CHECK-NEXT:    tandem.causal_mask
// CHECK-NEXT:    %[[WEIGHTS:.*]] = tandem.softmax
// CHECK-NEXT:    %[[VALUES:.*]] = tandem.kv_read %[[NEXT]] {{.*}}part = #tandem<part value>
// CHECK-NEXT:    tandem.matmul %[[WEIGHTS]], %[[VALUES]]
// CHECK-NOT:     tandem.softmax
// CHECK:         return %[[NEXT]]
func.func @prefill(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"},
    %s: tensor<4xi32> {tandem.name = "sequences"}, %b: tensor<1x2xi32> {tandem.name = "block_tables"}, %v: tensor<1xi32> {tandem.name = "valid"})
    -> (tensor<4x6xf32> {tandem.name = "hidden"})
    attributes {tandem.program = #tandem.program<prefill, positions = 40>} {
  %w = tandem.weight @w : tensor<11x6xf32>
  %x = tandem.embedding %w, %t : (tensor<11x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %r = tandem.reshape %x {shape = array<i64: -1, 3, 2>} : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %k = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %s0 = tandem.matmul %k, %k {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.scale %s0 {factor = 0.5 : f64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %s2 = tandem.causal_mask %s1, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s3 = tandem.softmax %s2 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s3, %k : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %z = tandem.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  %h = tandem.reshape %z {shape = array<i64: -1, 6>} : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  return %h : tensor<4x6xf32>
}

// CHECK-LABEL: @decode
// CHECK:         tandem.reshape {{.*}} -> tensor<3x4x1x2xf32>
// CHECK:         tandem.kv_read {{.*}}num_sequences = 4 {{.*}} -> tensor<3x4x?x2xf32>
func.func @decode(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"},
    %s: tensor<4xi32> {tandem.name = "sequences"}, %b: tensor<4x2xi32> {tandem.name = "block_tables"}, %v: tensor<1xi32> {tandem.name = "valid"})
    -> (tensor<4x6xf32> {tandem.name = "hidden"})
    attributes {tandem.program = #tandem.program<decode, positions = 40>} {
  %w = tandem.weight @w : tensor<11x6xf32>
  %x = tandem.embedding %w, %t : (tensor<11x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %r = tandem.reshape %x {shape = array<i64: -1, 3, 2>} : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %k = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %s0 = tandem.matmul %k, %k {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.scale %s0 {factor = 0.5 : f64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %s2 = tandem.causal_mask %s1, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s3 = tandem.softmax %s2 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s3, %k : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %z = tandem.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  %h = tandem.reshape %z {shape = array<i64: -1, 6>} : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  return %h : tensor<4x6xf32>
}

// No cache, no change.
// CHECK-LABEL: @forward
// CHECK-NOT:     kv_
func.func @forward(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"},
    %s: tensor<4xi32> {tandem.name = "sequences"}, %b: tensor<1x2xi32> {tandem.name = "block_tables"}, %v: tensor<1xi32> {tandem.name = "valid"})
    -> (tensor<4x6xf32> {tandem.name = "hidden"})
    attributes {tandem.program = #tandem.program<forward, positions = 40>} {
  %w = tandem.weight @w : tensor<11x6xf32>
  %x = tandem.embedding %w, %t : (tensor<11x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %r = tandem.reshape %x {shape = array<i64: -1, 3, 2>} : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %k = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %s0 = tandem.matmul %k, %k {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.scale %s0 {factor = 0.5 : f64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %s2 = tandem.causal_mask %s1, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s3 = tandem.softmax %s2 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s3, %k : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %z = tandem.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  %h = tandem.reshape %z {shape = array<i64: -1, 6>} : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  return %h : tensor<4x6xf32>
}

// Keys and values whose rows come last go into the cache as the others do.
// CHECK-LABEL: @rows_last
// CHECK:         %[[T:.*]] = tandem.transpose %{{.*}} {permutation = array<i64: 1, 2, 0>} : (tensor<4x3x2xf32>) -> tensor<3x2x4xf32>
// CHECK:         %[[K:.*]] = tandem.transpose %[[T]] {permutation = array<i64: 2, 0, 1>} : (tensor<3x2x4xf32>) -> tensor<4x3x2xf32>
// CHECK:         %[[KEYS:.*]] = tandem.reshape %[[K]] {{.*}} -> tensor<4x6xf32>
// CHECK:         %[[V:.*]] = tandem.transpose %[[T]] {permutation = array<i64: 2, 0, 1>}
// CHECK:         %[[VALUES:.*]] = tandem.reshape %[[V]]
// CHECK:         tandem.kv_append %{{.*}}, %[[KEYS]], %[[VALUES]]
// CHECK:         tandem.matmul {{.*}} {transpose_rhs} : (tensor<3x1x4x2xf32>, tensor<3x1x?x2xf32>)
// CHECK:         tandem.matmul %{{.*}}, %{{.*}} : (tensor<3x1x4x?xf32>, tensor<3x1x?x2xf32>)
func.func @rows_last(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"},
    %s: tensor<4xi32> {tandem.name = "sequences"}, %b: tensor<1x2xi32> {tandem.name = "block_tables"}, %v: tensor<1xi32> {tandem.name = "valid"})
    -> (tensor<4x6xf32> {tandem.name = "hidden"})
    attributes {tandem.program = #tandem.program<prefill, positions = 40>} {
  %w = tandem.weight @w : tensor<11x6xf32>
  %x = tandem.embedding %w, %t : (tensor<11x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %r = tandem.reshape %x {shape = array<i64: -1, 3, 2>} : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %q = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %k = tandem.transpose %r {permutation = array<i64: 1, 2, 0>} : (tensor<4x3x2xf32>) -> tensor<3x2x4xf32>
  %s0 = tandem.matmul %q, %k : (tensor<3x4x2xf32>, tensor<3x2x4xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.causal_mask %s0, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s2 = tandem.softmax %s1 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s2, %k {transpose_rhs} : (tensor<3x4x4xf32>, tensor<3x2x4xf32>) -> tensor<3x4x2xf32>
  %z = tandem.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  %h = tandem.reshape %z {shape = array<i64: -1, 6>} : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  return %h : tensor<4x6xf32>
}
