// What stays apart: no parameter gets parts.
// RUN: tandem-opt %s --merge-projections --split-input-file | FileCheck %s

// CHECK-NOT: parts
tandem.parameter @q : tensor<3x3xf32>
tandem.parameter @k : tensor<3x3xf32>
!x = tensor<4x3xf32>
!w = tensor<3x3xf32>

// Two values.
// CHECK-LABEL: @other_x
func.func @other_x(%x: !x, %y: !x, %o: !w) -> (!x, !x) {
  %wq = tandem.weight @q : !w
  %q = tandem.linear %x, %wq : (!x, !w) -> !x
  %wk = tandem.weight @k : !w
  %k = tandem.linear %y, %wk : (!x, !w) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.linear %k, %o : (!x, !w) -> !x
  return %0, %1 : !x, !x
}

// -----

// Values of two widths.
// CHECK-NOT: parts
tandem.parameter @q : tensor<3x3xf32>
tandem.parameter @k : tensor<5x3xf32>
!x = tensor<4x3xf32>
!w = tensor<3x3xf32>
// CHECK-LABEL: @other_width
func.func @other_width(%x: !x, %y: tensor<4x5xf32>, %o: !w) -> (!x, !x) {
  %wq = tandem.weight @q : !w
  %q = tandem.linear %x, %wq : (!x, !w) -> !x
  %wk = tandem.weight @k : tensor<5x3xf32>
  %k = tandem.linear %y, %wk : (tensor<4x5xf32>, tensor<5x3xf32>) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.linear %k, %o : (!x, !w) -> !x
  return %0, %1 : !x, !x
}

// -----

// Only one has a bias.
// CHECK-NOT: parts
tandem.parameter @q : tensor<3x3xf32>
tandem.parameter @k : tensor<3x3xf32>
tandem.parameter @b : tensor<3xf32>
!x = tensor<4x3xf32>
!w = tensor<3x3xf32>
// CHECK-LABEL: @one_bias
func.func @one_bias(%x: !x, %o: !w) -> (!x, !x) {
  %wq = tandem.weight @q : !w
  %b = tandem.weight @b : tensor<3xf32>
  %q = tandem.linear %x, %wq bias(%b) : (!x, !w, tensor<3xf32>) -> !x
  %wk = tandem.weight @k : !w
  %k = tandem.linear %x, %wk : (!x, !w) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.linear %k, %o : (!x, !w) -> !x
  return %0, %1 : !x, !x
}

// -----

// One is stored the other way round.
// CHECK-NOT: parts
tandem.parameter @q : tensor<3x3xf32>
tandem.parameter @k : tensor<3x3xf32>
!x = tensor<4x3xf32>
!w = tensor<3x3xf32>
// CHECK-LABEL: @one_transposed
func.func @one_transposed(%x: !x, %o: !w) -> (!x, !x) {
  %wq = tandem.weight @q : !w
  %q = tandem.linear %x, %wq : (!x, !w) -> !x
  %wk = tandem.weight @k : !w
  %k = tandem.linear %x, %wk {transpose_rhs} : (!x, !w) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.linear %k, %o : (!x, !w) -> !x
  return %0, %1 : !x, !x
}

// -----

// An activation and a residual belong to one product each.
// CHECK-NOT: parts
tandem.parameter @q : tensor<3x3xf32>
tandem.parameter @k : tensor<3x3xf32>
tandem.parameter @v : tensor<3x3xf32>
!x = tensor<4x3xf32>
!w = tensor<3x3xf32>
// CHECK-LABEL: @more_than_a_product
func.func @more_than_a_product(%x: !x, %o: !w) -> (!x, !x, !x) {
  %wq = tandem.weight @q : !w
  %q = tandem.linear %x, %wq {activation = #tandem.activation<relu>} : (!x, !w) -> !x
  %wk = tandem.weight @k : !w
  %k = tandem.linear %x, %wk residual(%x) : (!x, !w, !x) -> !x
  %wv = tandem.weight @v : !w
  %v = tandem.linear %x, %wv : (!x, !w) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.linear %k, %o : (!x, !w) -> !x
  %2 = tandem.linear %v, %o : (!x, !w) -> !x
  return %0, %1, %2 : !x, !x, !x
}

// -----

// A table that another program reads as well: it would be packed twice.
// CHECK-NOT: parts
tandem.parameter @q : tensor<3x3xf32>
tandem.parameter @tied : tensor<3x3xf32>
!x = tensor<4x3xf32>
!w = tensor<3x3xf32>
// CHECK-LABEL: @tied_weight
func.func @tied_weight(%x: !x, %o: !w) -> (!x, !x) {
  %wq = tandem.weight @q : !w
  %q = tandem.linear %x, %wq : (!x, !w) -> !x
  %wk = tandem.weight @tied : !w
  %k = tandem.linear %x, %wk : (!x, !w) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.linear %k, %o : (!x, !w) -> !x
  return %0, %1 : !x, !x
}
func.func @table(%i: tensor<4xi32>) -> !x {
  %w = tandem.weight @tied : !w
  %0 = tandem.embedding %w, %i : (!w, tensor<4xi32>) -> !x
  return %0 : !x
}

// -----

// Two programs that pair a weight with others.
// CHECK-NOT: parts
tandem.parameter @q : tensor<3x3xf32>
tandem.parameter @k : tensor<3x3xf32>
tandem.parameter @v : tensor<3x3xf32>
!x = tensor<4x3xf32>
!w = tensor<3x3xf32>
// CHECK-LABEL: @with_k
func.func @with_k(%x: !x, %o: !w) -> (!x, !x) {
  %wq = tandem.weight @q : !w
  %q = tandem.linear %x, %wq : (!x, !w) -> !x
  %wk = tandem.weight @k : !w
  %k = tandem.linear %x, %wk : (!x, !w) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.linear %k, %o : (!x, !w) -> !x
  return %0, %1 : !x, !x
}
func.func @with_v(%x: !x, %o: !w) -> (!x, !x) {
  %wq = tandem.weight @q : !w
  %q = tandem.linear %x, %wq : (!x, !w) -> !x
  %wv = tandem.weight @v : !w
  %v = tandem.linear %x, %wv : (!x, !w) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.linear %v, %o : (!x, !w) -> !x
  return %0, %1 : !x, !x
}

// -----

// A norm cannot step over the other's columns: its slice would be a copy.
// CHECK-NOT: parts
tandem.parameter @q : tensor<3x3xf32>
tandem.parameter @k : tensor<3x3xf32>
!x = tensor<4x3xf32>
!w = tensor<3x3xf32>
// CHECK-LABEL: @dense_reader
func.func @dense_reader(%x: !x, %o: !w, %s: tensor<3xf32>) -> (!x, !x) {
  %wq = tandem.weight @q : !w
  %q = tandem.linear %x, %wq : (!x, !w) -> !x
  %wk = tandem.weight @k : !w
  %k = tandem.linear %x, %wk : (!x, !w) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.layer_norm %k, %s, %s {epsilon = 0.1 : f64} : (!x, tensor<3xf32>, tensor<3xf32>) -> !x
  return %0, %1 : !x, !x
}

// -----

// A weight that two of them share, and one that is no parameter.
// CHECK-NOT: parts
tandem.parameter @q : tensor<3x3xf32>
!x = tensor<4x3xf32>
!w = tensor<3x3xf32>
// CHECK-LABEL: @one_weight
func.func @one_weight(%x: !x, %o: !w) -> (!x, !x, !x) {
  %wq = tandem.weight @q : !w
  %q = tandem.linear %x, %wq : (!x, !w) -> !x
  %k = tandem.linear %x, %wq : (!x, !w) -> !x
  %v = tandem.linear %x, %o : (!x, !w) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.linear %k, %o : (!x, !w) -> !x
  %2 = tandem.linear %v, %o : (!x, !w) -> !x
  return %0, %1, %2 : !x, !x, !x
}
