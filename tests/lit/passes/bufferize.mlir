// Tensors become buffers that ops write.
// RUN: tandem-opt %s --bufferize | FileCheck %s

tandem.parameter @w : tensor<2x6xf32>
tandem.parameter @v : tensor<3x3xf32>

// What is returned is written where the caller wants it; the rest is allocated;
// a slice is a view where its reader can step over the rest of a row.
// CHECK-LABEL: @program
// CHECK-SAME:    (%[[X:.*]]: memref<4x2xf32, #external> {tandem.name = "hidden"}, %[[OUT:.*]]: memref<4x3xf32, #external> {tandem.name = "logits"})
// CHECK:         %[[W:.*]] = tandem.weight @w : memref<2x6xf32, #constant>
// CHECK-NEXT:    %[[WIDE:.*]] = memref.alloc() : memref<4x6xf32, #transient>
// CHECK-NEXT:    tandem.linear %[[X]], %[[W]] into %[[WIDE]]
// CHECK-NEXT:    %[[PART:.*]] = memref.subview %[[WIDE]][0, 3] [4, 3] [1, 1]
// CHECK-NEXT:    %[[V:.*]] = tandem.weight @v
// CHECK-NEXT:    tandem.linear %[[PART]], %[[V]] into %[[OUT]]
// CHECK-NEXT:    return{{$}}
func.func @program(%x: tensor<4x2xf32> {tandem.name = "hidden"}) -> (tensor<4x3xf32> {tandem.name = "logits"}) {
  %w = tandem.weight @w : tensor<2x6xf32>
  %0 = tandem.linear %x, %w : (tensor<4x2xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  %1 = tandem.slice %0 {dim = 1 : i64, offset = 3 : i64, size = 3 : i64} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %v = tandem.weight @v : tensor<3x3xf32>
  %2 = tandem.linear %1, %v : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// A softmax cannot: the slice is copied.
// CHECK-LABEL: @copied
// CHECK-NOT:     memref.subview
// CHECK:         tandem.slice %{{.*}} into %[[COPY:.*]] {
// CHECK-NEXT:    tandem.softmax %[[COPY]] into
func.func @copied(%x: tensor<4x2xf32> {tandem.name = "hidden"}) -> (tensor<4x3xf32> {tandem.name = "logits"}) {
  %w = tandem.weight @w : tensor<2x6xf32>
  %0 = tandem.linear %x, %w : (tensor<4x2xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  %1 = tandem.slice %0 {dim = 1 : i64, offset = 3 : i64, size = 3 : i64} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %2 = tandem.softmax %1 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// The cache is updated in place: its result is itself, and is no longer returned.
// CHECK-LABEL: @cached
// CHECK-SAME:    (%[[C:[a-z0-9]+]]: !kv_cache
// CHECK:         tandem.kv_append %[[C]], {{.*}} -> (){{$}}
// CHECK:         tandem.cached_attention %{{.*}}, %[[C]]
// CHECK-NEXT:    return{{$}}
!cache = !tandem.kv_cache<layers = 1, heads = 1, head_size = 2, block = 32, positions = 40, f32>
func.func @cached(%c: !cache, %x: tensor<4x2xf32>, %p: tensor<4xi32>, %s: tensor<4xi32>, %b: tensor<1x2xi32>, %n: tensor<1xi32>) -> (!cache, tensor<4x2xf32>) {
  %d = tandem.kv_append %c, %x, %x rows(%p, %s, %b, %n) {layer = 0 : i64}
      : (!cache, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !cache
  %y = tandem.cached_attention %x, %d rows(%p, %s, %b, %n) {layer = 0 : i64, scale = 1.0 : f64}
      : (tensor<4x2xf32>, !cache, tensor<4xi32>, tensor<4xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<4x2xf32>
  return %d, %y : !cache, tensor<4x2xf32>
}

// One value cannot be written in two places, nor an argument be a result: copies.
// CHECK-LABEL: @given_twice
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: {{.*}}, %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]:
// CHECK-NEXT:    tandem.softmax %[[X]] into %[[A]]
// CHECK-NEXT:    memref.copy %[[A]], %[[B]]
// CHECK-NEXT:    memref.copy %[[X]], %[[C]]
func.func @given_twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tandem.softmax %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %0, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
