// The order with the least peak of live bytes, counted by hand.
// RUN: tandem-opt %s --schedule | FileCheck %s

tandem.parameter @w : tensor<2x64xf32>
tandem.parameter @v : tensor<64x1xf32>

// x is given. Two branches, each 1024 bytes wide (4 x 64 f32), then 16 (4 x 1).
// As written both wide values are live at once: 1024 + 1024, and 2048 + 16 when
// the first is read. One branch after the other: 16 + 1024 + 16 = 1056 at most.
// Weights take nothing, and stand with their first reader.
// CHECK-LABEL: @branches
// CHECK-NEXT:    %[[W:.*]] = tandem.weight @w
// CHECK-NEXT:    %[[A:.*]] = tandem.linear %arg0, %[[W]]
// CHECK-NEXT:    %[[V:.*]] = tandem.weight @v
// CHECK-NEXT:    tandem.linear %[[A]], %[[V]]
// CHECK-NEXT:    %[[B:.*]] = tandem.linear %arg1, %[[W]]
// CHECK-NEXT:    tandem.linear %[[B]], %[[V]]
// CHECK-NEXT:    tandem.add
func.func @branches(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> tensor<4x1xf32> {
  %v = tandem.weight @v : tensor<64x1xf32>
  %w = tandem.weight @w : tensor<2x64xf32>
  %0 = tandem.linear %x, %w : (tensor<4x2xf32>, tensor<2x64xf32>) -> tensor<4x64xf32>
  %1 = tandem.linear %y, %w : (tensor<4x2xf32>, tensor<2x64xf32>) -> tensor<4x64xf32>
  %2 = tandem.linear %0, %v : (tensor<4x64xf32>, tensor<64x1xf32>) -> tensor<4x1xf32>
  %3 = tandem.linear %1, %v : (tensor<4x64xf32>, tensor<64x1xf32>) -> tensor<4x1xf32>
  %4 = tandem.add %2, %3 : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  return %4 : tensor<4x1xf32>
}

// All values are 16 bytes, so that no order is better: the order stays.
// CHECK-LABEL: @nothing_to_gain
// CHECK-NEXT:    tandem.scale %arg0 {factor = 2.000000e+00 : f64}
// CHECK-NEXT:    tandem.scale %arg1 {factor = 3.000000e+00 : f64}
// CHECK-NEXT:    tandem.add
func.func @nothing_to_gain(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tandem.scale %x {factor = 2.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tandem.scale %y {factor = 3.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tandem.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// An add cannot step over the rest of a row, so that its slices will be copied: a
// wide value (2048 bytes) dies once its 1024 are out of it. As written: 2048 +
// 2048 + 1024 when the first slice is taken. One after the other: 1024 + 2048 +
// 1024 at the second slice. Were the slices views, nothing would be gained.
// CHECK-LABEL: @copied_slices
// CHECK:         %[[A:.*]] = tandem.linear %arg0
// CHECK-NEXT:    %[[S:.*]] = tandem.slice %[[A]]
// CHECK-NEXT:    %[[B:.*]] = tandem.linear %arg1
// CHECK-NEXT:    %[[T:.*]] = tandem.slice %[[B]]
// CHECK-NEXT:    tandem.add %[[S]], %[[T]]
tandem.parameter @u : tensor<2x128xf32>
func.func @copied_slices(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> tensor<4x64xf32> {
  %u = tandem.weight @u : tensor<2x128xf32>
  %0 = tandem.linear %x, %u : (tensor<4x2xf32>, tensor<2x128xf32>) -> tensor<4x128xf32>
  %1 = tandem.linear %y, %u : (tensor<4x2xf32>, tensor<2x128xf32>) -> tensor<4x128xf32>
  %2 = tandem.slice %0 {dim = 1 : i64, offset = 0 : i64, size = 64 : i64} : (tensor<4x128xf32>) -> tensor<4x64xf32>
  %3 = tandem.slice %1 {dim = 1 : i64, offset = 64 : i64, size = 64 : i64} : (tensor<4x128xf32>) -> tensor<4x64xf32>
  %4 = tandem.add %2, %3 : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  return %4 : tensor<4x64xf32>
}

// A read of the cache comes before the append that overwrites what it reads,
// though the append would free more: 4 x 64 rows against none.
// CHECK-LABEL: @cache_in_order
// CHECK:         tandem.cached_attention
// CHECK:         tandem.kv_append
!cache = !tandem.kv_cache<layers = 1, heads = 1, head_size = 64, block = 32, positions = 40, f32>
func.func @cache_in_order(%c: !cache, %x: tensor<4x64xf32>, %p: tensor<4xi32>, %s: tensor<4xi32>, %b: tensor<1x2xi32>, %n: tensor<1xi32>) -> (!cache, tensor<4x64xf32>) {
  %k = tandem.scale %x {factor = 2.0 : f64} : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %y = tandem.cached_attention %x, %c rows(%p, %s, %b, %n) {layer = 0 : i64, scale = 1.0 : f64}
      : (tensor<4x64xf32>, !cache, tensor<4xi32>, tensor<4xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<4x64xf32>
  %d = tandem.kv_append %c, %k, %k rows(%p, %s, %b, %n) {layer = 0 : i64}
      : (!cache, tensor<4x64xf32>, tensor<4x64xf32>, tensor<4xi32>, tensor<4xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !cache
  return %d, %y : !cache, tensor<4x64xf32>
}
