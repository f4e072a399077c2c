// matmul by a weight, bias, activation and residual become one op, in that order.
// RUN: tandem-opt %s --fuse-linear | FileCheck %s

tandem.parameter @w : tensor<2x3xf32>
tandem.parameter @b : tensor<3xf32>

// CHECK-LABEL: @all
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<4x2xf32>, %[[R:[a-z0-9]+]]: tensor<4x3xf32>)
// CHECK-DAG:     %[[W:.*]] = tandem.weight @w
// CHECK-DAG:     %[[B:.*]] = tandem.weight @b
// CHECK:         %[[Y:.*]] = tandem.linear %[[X]], %[[W]] bias(%[[B]]) residual(%[[R]]) {activation = #tandem.activation<relu>}
// CHECK-NEXT:    return %[[Y]]
func.func @all(%x: tensor<4x2xf32>, %r: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %w = tandem.weight @w : tensor<2x3xf32>
  %b = tandem.weight @b : tensor<3xf32>
  %0 = tandem.matmul %x, %w : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = tandem.add %0, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = tandem.activation %1 {kind = #tandem.activation<relu>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = tandem.add %r, %2 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}

// The product has a second reader.
// CHECK-LABEL: @read_twice
// CHECK:         %[[Y:.*]] = tandem.linear %{{.*}}, %{{.*}} : (tensor<4x2xf32>, tensor<2x3xf32>)
// CHECK:         tandem.add %[[Y]]
func.func @read_twice(%x: tensor<4x2xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %w = tandem.weight @w : tensor<2x3xf32>
  %b = tandem.weight @b : tensor<3xf32>
  %0 = tandem.matmul %x, %w : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = tandem.add %0, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}

// What comes after a residual stays outside, since the op adds that last.
// CHECK-LABEL: @after_residual
// CHECK:         tandem.linear {{.*}} residual(
// CHECK-NEXT:    tandem.add
// CHECK-NEXT:    tandem.activation
func.func @after_residual(%x: tensor<4x2xf32>, %r: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %w = tandem.weight @w : tensor<2x3xf32>
  %b = tandem.weight @b : tensor<3xf32>
  %0 = tandem.matmul %x, %w : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = tandem.add %0, %r : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %2 = tandem.add %1, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %3 = tandem.activation %2 {kind = #tandem.activation<relu>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}

// A product of two activations has no weight.
// CHECK-LABEL: @no_weight
// CHECK:         tandem.matmul
func.func @no_weight(%x: tensor<4x2xf32>, %y: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = tandem.matmul %x, %y : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
