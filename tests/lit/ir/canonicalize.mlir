// RUN: tandem-opt --canonicalize --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @scale_by_one
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @scale_by_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tandem.scale %x {factor = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @scale_by_half
// CHECK: tandem.scale
func.func @scale_by_half(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tandem.scale %x {factor = 0.5 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A destination is written whatever the factor.
// CHECK-LABEL: func.func @scale_of_buffers
// CHECK: tandem.scale
func.func @scale_of_buffers(%x: memref<4xf32>, %y: memref<4xf32>) {
  tandem.scale %x into %y {factor = 1.0 : f64} : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @reshape_to_itself
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @reshape_to_itself(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %y = tandem.reshape %x {shape = array<i64: -1, 2>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// One `?` may stand for another size: [?, ?] reshaped to [?, ?] cannot be told
// from a change, and is no shape that reshape has. [?, 2] to [?, 2] is the same.
// CHECK-LABEL: func.func @reshape_open
// CHECK-NEXT: return
func.func @reshape_open(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %y = tandem.reshape %x {shape = array<i64: -1, 2>} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK-NEXT: %[[Y:.*]] = tandem.reshape %[[X]] {shape = array<i64: 8>}
// CHECK-NEXT: return %[[Y]]
func.func @reshapes(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  %y = tandem.reshape %x {shape = array<i64: 2, 4>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %z = tandem.reshape %y {shape = array<i64: 8>} : (tensor<2x4xf32>) -> tensor<8xf32>
  return %z : tensor<8xf32>
}

// The transpose moves elements.
// CHECK-LABEL: func.func @reshape_of_transpose
// CHECK-NEXT: tandem.transpose
// CHECK-NEXT: tandem.reshape
func.func @reshape_of_transpose(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  %y = tandem.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %z = tandem.reshape %y {shape = array<i64: 8>} : (tensor<2x4xf32>) -> tensor<8xf32>
  return %z : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @transpose_by_identity
// CHECK-NEXT: return
func.func @transpose_by_identity(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = tandem.transpose %x {permutation = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// The type stays, the elements do not.
// CHECK-LABEL: func.func @transpose_of_square
// CHECK-NEXT: tandem.transpose
func.func @transpose_of_square(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = tandem.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// y[a, b, c] = x[c, a, b]; z[a, b, c] = y[b, a, c] = x[c, b, a].
// CHECK-LABEL: func.func @transposes
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK-NEXT: tandem.transpose %[[X]] {permutation = array<i64: 2, 1, 0>}
// CHECK-NEXT: return
func.func @transposes(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %y = tandem.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %z = tandem.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  return %z : tensor<4x3x2xf32>
}

// CHECK-LABEL: func.func @transposes_cancel
// CHECK-NEXT: return
func.func @transposes_cancel(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = tandem.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %z = tandem.transpose %y {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  return %z : tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @slice_of_everything
// CHECK-NEXT: return
func.func @slice_of_everything(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = tandem.slice %x {dim = 1 : i64, offset = 0 : i64, size = 6 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @slice_of_part
// CHECK-NEXT: tandem.slice
func.func @slice_of_part(%x: tensor<4x6xf32>) -> tensor<4x2xf32> {
  %y = tandem.slice %x {dim = 1 : i64, offset = 0 : i64, size = 2 : i64} : (tensor<4x6xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// CHECK-LABEL: func.func @matmul_by_transpose
// CHECK-SAME: %[[A:.*]]: tensor<2x3x4xf32>, %[[B:.*]]: tensor<2x5x4xf32>
// CHECK-NEXT: tandem.matmul %[[A]], %[[B]] {transpose_rhs}
// CHECK-NEXT: return
func.func @matmul_by_transpose(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>) -> tensor<2x3x5xf32> {
  %t = tandem.transpose %b {permutation = array<i64: 0, 2, 1>} : (tensor<2x5x4xf32>) -> tensor<2x4x5xf32>
  %y = tandem.matmul %a, %t : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @transposed_twice
// CHECK-SAME: %[[A:.*]]: tensor<3x4xf32>, %[[B:.*]]: tensor<4x5xf32>
// CHECK-NEXT: tandem.matmul %[[A]], %[[B]] : (tensor<3x4xf32>, tensor<4x5xf32>)
// CHECK-NEXT: return
func.func @transposed_twice(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %t = tandem.transpose %b {permutation = array<i64: 1, 0>} : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %y = tandem.matmul %a, %t {transpose_rhs} : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// The transpose exchanges heads and rows, which matmul cannot.
// CHECK-LABEL: func.func @heads_to_the_front
// CHECK-NEXT: tandem.transpose
// CHECK-NEXT: tandem.matmul
func.func @heads_to_the_front(%a: tensor<2x3x4xf32>, %b: tensor<4x2x5xf32>) -> tensor<2x3x5xf32> {
  %t = tandem.transpose %b {permutation = array<i64: 1, 0, 2>} : (tensor<4x2x5xf32>) -> tensor<2x4x5xf32>
  %y = tandem.matmul %a, %t : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

// The heads that the reshape makes stay side by side, so the rows can go last
// before it as well.
// CHECK-LABEL: func.func @transpose_before_split
// CHECK-SAME: %[[X:.*]]: tensor<?x12xf32>
// CHECK-NEXT: %[[T:.*]] = tandem.transpose %[[X]] {permutation = array<i64: 1, 0>} : (tensor<?x12xf32>) -> tensor<12x?xf32>
// CHECK-NEXT: tandem.reshape %[[T]] {shape = array<i64: 3, 4, -1>} : (tensor<12x?xf32>) -> tensor<3x4x?xf32>
func.func @transpose_before_split(%x: tensor<?x12xf32>) -> tensor<3x4x?xf32> {
  %r = tandem.reshape %x {shape = array<i64: -1, 3, 4>} : (tensor<?x12xf32>) -> tensor<?x3x4xf32>
  %t = tandem.transpose %r {permutation = array<i64: 1, 2, 0>} : (tensor<?x3x4xf32>) -> tensor<3x4x?xf32>
  return %t : tensor<3x4x?xf32>
}

// Heads first, and rows between: what was split does not stay together.
// CHECK-LABEL: func.func @split_apart
// CHECK-NEXT: tandem.reshape
// CHECK-NEXT: tandem.transpose
func.func @split_apart(%x: tensor<5x12xf32>) -> tensor<3x5x4xf32> {
  %r = tandem.reshape %x {shape = array<i64: 5, 3, 4>} : (tensor<5x12xf32>) -> tensor<5x3x4xf32>
  %t = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<5x3x4xf32>) -> tensor<3x5x4xf32>
  return %t : tensor<3x5x4xf32>
}

// Together, but in the other order.
// CHECK-LABEL: func.func @split_swapped
// CHECK-NEXT: tandem.reshape
// CHECK-NEXT: tandem.transpose
func.func @split_swapped(%x: tensor<5x12xf32>) -> tensor<4x3x5xf32> {
  %r = tandem.reshape %x {shape = array<i64: 5, 3, 4>} : (tensor<5x12xf32>) -> tensor<5x3x4xf32>
  %t = tandem.transpose %r {permutation = array<i64: 2, 1, 0>} : (tensor<5x3x4xf32>) -> tensor<4x3x5xf32>
  return %t : tensor<4x3x5xf32>
}

// The reshape splits across what was one dimension.
// CHECK-LABEL: func.func @no_split
// CHECK-NEXT: tandem.reshape
// CHECK-NEXT: tandem.transpose
func.func @no_split(%x: tensor<4x6xf32>) -> tensor<2x4x3xf32> {
  %r = tandem.reshape %x {shape = array<i64: 3, 2, 4>} : (tensor<4x6xf32>) -> tensor<3x2x4xf32>
  %t = tandem.transpose %r {permutation = array<i64: 1, 2, 0>} : (tensor<3x2x4xf32>) -> tensor<2x4x3xf32>
  return %t : tensor<2x4x3xf32>
}
