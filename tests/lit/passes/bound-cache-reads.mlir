// A read of the cache gets the program's number of positions, and what follows
// from it the sizes that follow.
// RUN: tandem-opt %s --bound-cache-reads | FileCheck %s

!cache = !tandem.kv_cache<layers = 1, heads = 3, head_size = 2, block = 32, positions = 40, f32>

// CHECK-LABEL: @decode
// CHECK:         tandem.kv_read {{.*}}num_positions = 40 : i64{{.*}} -> tensor<3x1x40x2xf32>
// CHECK:         tandem.matmul {{.*}} -> tensor<3x1x1x40xf32>
func.func @decode(%c: !cache, %q: tensor<3x1x1x2xf32>, %p: tensor<1xi32>, %s: tensor<1xi32>, %b: tensor<1x2xi32>, %n: tensor<1xi32>) -> tensor<3x1x1x2xf32>
    attributes {tandem.program = #tandem.program<decode, positions = 40>} {
  %k = tandem.kv_read %c rows(%p, %s, %b, %n) {layer = 0 : i64, num_sequences = 1 : i64, part = #tandem<part key>}
      : (!cache, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<3x1x?x2xf32>
  %s0 = tandem.matmul %q, %k {transpose_rhs} : (tensor<3x1x1x2xf32>, tensor<3x1x?x2xf32>) -> tensor<3x1x1x?xf32>
  %y = tandem.matmul %s0, %k : (tensor<3x1x1x?xf32>, tensor<3x1x?x2xf32>) -> tensor<3x1x1x2xf32>
  return %y : tensor<3x1x1x2xf32>
}

// No program, no positions.
// CHECK-LABEL: @no_program
// CHECK:         tandem.kv_read {{.*}} -> tensor<3x1x?x2xf32>
func.func @no_program(%c: !cache, %p: tensor<1xi32>, %s: tensor<1xi32>, %b: tensor<1x2xi32>, %n: tensor<1xi32>) -> tensor<3x1x?x2xf32> {
  %k = tandem.kv_read %c rows(%p, %s, %b, %n) {layer = 0 : i64, num_sequences = 1 : i64, part = #tandem<part key>}
      : (!cache, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<3x1x?x2xf32>
  return %k : tensor<3x1x?x2xf32>
}
