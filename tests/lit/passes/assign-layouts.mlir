// Panels for what only linears read, one layout a parameter for all programs.
// RUN: tandem-opt %s --assign-layouts | FileCheck %s

// CHECK: @columns : tensor<2x3xf32> layout column_panels
tandem.parameter @columns : tensor<2x3xf32>
// An embedding reads single elements: it can follow the head's row panels.
// CHECK: @tied : tensor<3x2xf32> layout row_panels
tandem.parameter @tied : tensor<3x2xf32>
// So can the sum of two.
// CHECK: @summed : tensor<3x2xf32> layout row_panels
tandem.parameter @summed : tensor<3x2xf32>
// A matmul reads a weight as it is, and column panels are no rows.
// CHECK: @matmul_too : tensor<2x3xf32>{{$}}
tandem.parameter @matmul_too : tensor<2x3xf32>
// CHECK: @embedding_too : tensor<3x2xf32>{{$}}
tandem.parameter @embedding_too : tensor<3x2xf32>
// CHECK: @both_ways : tensor<2x2xf32>{{$}}
tandem.parameter @both_ways : tensor<2x2xf32>
// CHECK: @as_bias : tensor<3xf32>{{$}}
tandem.parameter @as_bias : tensor<3xf32>

func.func @f(%x: tensor<4x2xf32>) {
  %c = tandem.weight @columns : tensor<2x3xf32>
  %b = tandem.weight @as_bias : tensor<3xf32>
  %0 = tandem.linear %x, %c bias(%b) : (tensor<4x2xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %t = tandem.weight @tied : tensor<3x2xf32>
  %1 = tandem.linear %x, %t {transpose_rhs} : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
  %m = tandem.weight @matmul_too : tensor<2x3xf32>
  %2 = tandem.linear %x, %m : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %e = tandem.weight @embedding_too : tensor<3x2xf32>
  %3 = tandem.linear %0, %e : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %w = tandem.weight @both_ways : tensor<2x2xf32>
  %4 = tandem.linear %x, %w : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  return
}

// The other readers, in another program.
func.func @g(%x: tensor<4x2xf32>, %ids: tensor<4xi32>) {
  %t = tandem.weight @tied : tensor<3x2xf32>
  %0 = tandem.embedding %t, %ids : (tensor<3x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  %s = tandem.weight @summed : tensor<3x2xf32>
  %4 = tandem.linear %x, %s {transpose_rhs} : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
  %5 = tandem.add_embedding %t, %ids, %s, %ids : (tensor<3x2xf32>, tensor<4xi32>, tensor<3x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  %m = tandem.weight @matmul_too : tensor<2x3xf32>
  %1 = tandem.matmul %x, %m : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %e = tandem.weight @embedding_too : tensor<3x2xf32>
  %2 = tandem.embedding %e, %ids : (tensor<3x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  %w = tandem.weight @both_ways : tensor<2x2xf32>
  %3 = tandem.linear %x, %w {transpose_rhs} : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  return
}
