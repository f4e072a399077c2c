// Every op on buffers, twice through printer and parser: destinations after
// `into`, no results.
// RUN: tandem-opt %s | tandem-opt | FileCheck %s

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
!row = memref<4x32xf32, #tandem.storage<transient>>
!d = memref<32xf32, #tandem.storage<constant>>
!scores = memref<4x4x4xf32, #tandem.storage<transient>>
!ids = memref<4xi32, #tandem.storage<external>>
!strided = memref<4x16xf32, strided<[32, 1], offset: 8>, #tandem.storage<transient>>

tandem.parameter @wte : tensor<97x32xf32> layout row_panels at 0

// CHECK-LABEL: func.func @graph
func.func @graph(%ids: !ids, %d: !d, %x: !row, %y: !row, %half: !strided, %s: !scores) {
  // CHECK: tandem.weight @wte : memref<97x32xf32, #constant>
  %w = tandem.weight @wte : memref<97x32xf32, #tandem.storage<constant>>
  // CHECK: tandem.embedding %{{.*}}, %{{.*}} into %{{.*}} : (memref<97x32xf32, #constant>, memref<4xi32, #external>, memref<4x32xf32, #transient>) -> ()
  tandem.embedding %w, %ids into %x : (memref<97x32xf32, #tandem.storage<constant>>, !ids, !row) -> ()
  // CHECK: tandem.layer_norm %{{.*}}, %{{.*}}, %{{.*}} into %{{.*}} {epsilon
  tandem.layer_norm %x, %d, %d into %y {epsilon = 1.0e-5 : f64} : (!row, !d, !d, !row) -> ()
  // CHECK: tandem.add %{{.*}}, %{{.*}} into
  tandem.add %x, %d into %y : (!row, !d, !row) -> ()
  // CHECK: tandem.mul %{{.*}}, %{{.*}} into
  tandem.mul %x, %y into %y : (!row, !row, !row) -> ()
  // CHECK: tandem.activation %{{.*}} into %{{.*}} {kind = #tandem.activation<silu>}
  tandem.activation %x into %y {kind = #tandem.activation<silu>} : (!row, !row) -> ()
  // CHECK: tandem.slice %{{.*}} into %{{.*}} {dim = 1 : i64, offset = 8 : i64, size = 16 : i64} : (memref<4x32xf32, #transient>, memref<4x16xf32, strided<[32, 1], offset: 8>, #transient>) -> ()
  tandem.slice %x into %half {dim = 1 : i64, offset = 8 : i64, size = 16 : i64} : (!row, !strided) -> ()
  // CHECK: tandem.reshape %{{.*}} into %{{.*}} {shape
  tandem.reshape %half into %s {shape = array<i64: 4, 4, 4>} : (!strided, !scores) -> ()
  // CHECK: tandem.transpose %{{.*}} into %{{.*}} {permutation
  tandem.transpose %s into %s {permutation = array<i64: 1, 0, 2>} : (!scores, !scores) -> ()
  // CHECK: tandem.matmul %{{.*}}, %{{.*}} into %{{.*}} {transpose_rhs}
  tandem.matmul %s, %s into %s {transpose_rhs} : (!scores, !scores, !scores) -> ()
  // CHECK: tandem.scale %{{.*}} into %{{.*}} {factor
  tandem.scale %s into %s {factor = 0.5 : f64} : (!scores, !scores) -> ()
  // CHECK: tandem.causal_mask %{{.*}}, %{{.*}} into
  tandem.causal_mask %s, %ids into %s : (!scores, !ids, !scores) -> ()
  // CHECK: tandem.softmax %{{.*}} into
  tandem.softmax %s into %s : (!scores, !scores) -> ()
  return
}

// CHECK-LABEL: func.func @cache
func.func @cache(%c: !cache, %x: !row, %ids: !ids, %t: memref<1x2xi32>, %v: memref<1xi32>, %k: memref<4x1x64x8xf32>, %scratch: memref<64xi8>) {
  // CHECK: tandem.kv_append %{{.*}}, %{{.*}}, %{{.*}} rows({{.*}}) {layer = 0 : i64} : ({{.*}}) -> ()
  tandem.kv_append %c, %x, %x rows(%ids, %ids, %t, %v) {layer = 0 : i64}
    : (!cache, !row, !row, !ids, !ids, memref<1x2xi32>, memref<1xi32>) -> ()
  // CHECK: tandem.kv_read %{{.*}} rows({{.*}}) into %{{.*}} {
  tandem.kv_read %c rows(%ids, %ids, %t, %v) into %k {layer = 0 : i64, num_positions = 64 : i64, num_sequences = 1 : i64, part = #tandem<part key>}
    : (!cache, !ids, !ids, memref<1x2xi32>, memref<1xi32>, memref<4x1x64x8xf32>) -> ()
  // CHECK: tandem.cached_attention %{{.*}}, %{{.*}} rows({{.*}}) scratch(%{{.*}}) into %{{.*}} {
  tandem.cached_attention %x, %c rows(%ids, %ids, %t, %v) scratch(%scratch) into %x {layer = 0 : i64, scale = 0.25 : f64}
    : (!row, !cache, !ids, !ids, memref<1x2xi32>, memref<1xi32>, memref<64xi8>, !row) -> ()
  return
}

// CHECK-LABEL: func.func @fused
func.func @fused(%x: !row, %y: !row, %w: memref<32x32xf32>, %d: !d, %ids: !ids, %scratch: memref<64xi8>) {
  // CHECK: tandem.linear %{{.*}}, %{{.*}} bias(%{{.*}}) residual(%{{.*}}) scratch(%{{.*}}) into %{{.*}} : ({{.*}}) -> ()
  tandem.linear %x, %w bias(%d) residual(%y) scratch(%scratch) into %y
    : (!row, memref<32x32xf32>, !d, !row, memref<64xi8>, !row) -> ()
  // CHECK: tandem.linear %{{.*}}, %{{.*}} into %{{.*}} : ({{.*}}) -> ()
  tandem.linear %x, %w into %y : (!row, memref<32x32xf32>, !row) -> ()
  // CHECK: tandem.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scratch(%{{.*}}) into %{{.*}} {heads
  tandem.attention %x, %x, %x, %ids scratch(%scratch) into %y {heads = 4 : i64, scale = 0.35 : f64}
    : (!row, !row, !row, !ids, memref<64xi8>, !row) -> ()
  // CHECK: tandem.add_embedding %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} into %{{.*}} : ({{.*}}) -> ()
  tandem.add_embedding %w, %ids, %x, %ids into %y : (memref<32x32xf32>, !ids, !row, !ids, !row) -> ()
  // CHECK: tandem.add_layer_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} into %{{.*}}, %{{.*}} {epsilon
  tandem.add_layer_norm %x, %y, %d, %d into %x, %y {epsilon = 1.0e-5 : f64} : (!row, !row, !d, !d, !row, !row) -> ()
  return
}

// CHECK-LABEL: func.func @planned
// CHECK-SAME: #tandem.program<decode, positions = 64>
func.func @planned(%arena: memref<1024xi8, #tandem.storage<transient>>) attributes {tandem.program = #tandem.program<decode, positions = 64>} {
  %c512 = arith.constant 512 : index
  // CHECK: memref.view %{{.*}}[%{{.*}}][] : memref<1024xi8, #transient> to memref<4x32xf32, #transient>
  %x = memref.view %arena[%c512][] : memref<1024xi8, #tandem.storage<transient>> to !row
  // CHECK: memref.subview %{{.*}}[0, 8] [4, 16] [1, 1]
  %half = memref.subview %x[0, 8] [4, 16] [1, 1] : !row to !strided
  tandem.softmax %half into %half : (!strided, !strided) -> ()
  return
}
