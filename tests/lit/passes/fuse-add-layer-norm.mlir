// A sum and its layer norm become one op; whoever else reads the sum still does.
// RUN: tandem-opt %s --fuse-add-layer-norm | FileCheck %s

tandem.parameter @scale : tensor<3xf32>
tandem.parameter @bias : tensor<3xf32>

// CHECK-LABEL: @sum
// CHECK:         %[[BOTH:.*]]:2 = tandem.add_layer_norm %arg0, %arg1, {{.*}} {epsilon = 1.000000e-05 : f64}
// CHECK-NEXT:    return %[[BOTH]]#0, %[[BOTH]]#1
func.func @sum(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = tandem.add %x, %y : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %s = tandem.weight @scale : tensor<3xf32>
  %b = tandem.weight @bias : tensor<3xf32>
  %1 = tandem.layer_norm %0, %s, %b {epsilon = 1.0e-5 : f64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}

// The op adds rows to rows, and not one bias to all.
// CHECK-LABEL: @bias_shaped
// CHECK:         tandem.add
// CHECK:         tandem.layer_norm
func.func @bias_shaped(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %s = tandem.weight @scale : tensor<3xf32>
  %b = tandem.weight @bias : tensor<3xf32>
  %0 = tandem.add %x, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = tandem.layer_norm %0, %s, %b {epsilon = 1.0e-5 : f64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
