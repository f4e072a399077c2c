// Linears of one value become one wide linear, by a weight made of theirs, and
// slices of what it makes.
// RUN: tandem-opt %s --merge-projections --split-input-file | FileCheck %s

// Two programs share the parameter. 3 + 2 + 2 columns; names differ in one part.
// CHECK:       tandem.parameter @a.q_k_v.w : tensor<6x7xf32> parts [@a.q.w, @a.k.w, @a.v.w] dim 1
// CHECK-NEXT:  tandem.parameter @a.q.w : tensor<6x3xf32>
tandem.parameter @a.q.w : tensor<6x3xf32>
tandem.parameter @a.k.w : tensor<6x2xf32>
tandem.parameter @a.v.w : tensor<6x2xf32>
// CHECK:       tandem.parameter @a.q_k_v.b : tensor<7xf32> parts [@a.q.b, @a.k.b, @a.v.b] dim 0
tandem.parameter @a.q.b : tensor<3xf32>
tandem.parameter @a.k.b : tensor<2xf32>
tandem.parameter @a.v.b : tensor<2xf32>
tandem.parameter @out : tensor<3x6xf32>
tandem.parameter @out2 : tensor<2x6xf32>
!x = tensor<4x6xf32>
!two = tensor<4x2xf32>

// CHECK-LABEL: @three
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: tensor<4x6xf32>)
// CHECK-DAG:     %[[W:.*]] = tandem.weight @a.q_k_v.w : tensor<6x7xf32>
// CHECK-DAG:     %[[B:.*]] = tandem.weight @a.q_k_v.b : tensor<7xf32>
// CHECK:         %[[WIDE:.*]] = tandem.linear %[[X]], %[[W]] bias(%[[B]]) : {{.*}} -> tensor<4x7xf32>
// CHECK-NEXT:    %[[Q:.*]] = tandem.slice %[[WIDE]] {dim = 1 : i64, offset = 0 : i64, size = 3 : i64}
// CHECK-NEXT:    %[[K:.*]] = tandem.slice %[[WIDE]] {dim = 1 : i64, offset = 3 : i64, size = 2 : i64}
// CHECK-NEXT:    %[[V:.*]] = tandem.slice %[[WIDE]] {dim = 1 : i64, offset = 5 : i64, size = 2 : i64}
// CHECK:         tandem.linear %[[Q]], %{{.*}}
// CHECK:         tandem.linear %[[K]], %{{.*}}
// CHECK:         tandem.linear %[[V]], %{{.*}}
// CHECK-NOT:     @a.q.w
func.func @three(%x: !x) -> (!x, !x, !x) {
  %wq = tandem.weight @a.q.w : tensor<6x3xf32>
  %bq = tandem.weight @a.q.b : tensor<3xf32>
  %q = tandem.linear %x, %wq bias(%bq) : (!x, tensor<6x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %o = tandem.weight @out : tensor<3x6xf32>
  %0 = tandem.linear %q, %o : (tensor<4x3xf32>, tensor<3x6xf32>) -> !x
  %wk = tandem.weight @a.k.w : tensor<6x2xf32>
  %bk = tandem.weight @a.k.b : tensor<2xf32>
  %k = tandem.linear %x, %wk bias(%bk) : (!x, tensor<6x2xf32>, tensor<2xf32>) -> !two
  %o2 = tandem.weight @out2 : tensor<2x6xf32>
  %1 = tandem.linear %k, %o2 : (!two, tensor<2x6xf32>) -> !x
  %wv = tandem.weight @a.v.w : tensor<6x2xf32>
  %bv = tandem.weight @a.v.b : tensor<2xf32>
  %v = tandem.linear %x, %wv bias(%bv) : (!x, tensor<6x2xf32>, tensor<2xf32>) -> !two
  %2 = tandem.linear %v, %o2 : (!two, tensor<2x6xf32>) -> !x
  return %0, %1, %2 : !x, !x, !x
}

// CHECK-LABEL: @again
// CHECK:         tandem.weight @a.q_k_v.w
// CHECK:         tandem.linear {{.*}} -> tensor<4x7xf32>
func.func @again(%x: !x) -> (!x, !x, !x) {
  %wq = tandem.weight @a.q.w : tensor<6x3xf32>
  %bq = tandem.weight @a.q.b : tensor<3xf32>
  %q = tandem.linear %x, %wq bias(%bq) : (!x, tensor<6x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %wk = tandem.weight @a.k.w : tensor<6x2xf32>
  %bk = tandem.weight @a.k.b : tensor<2xf32>
  %k = tandem.linear %x, %wk bias(%bk) : (!x, tensor<6x2xf32>, tensor<2xf32>) -> !two
  %wv = tandem.weight @a.v.w : tensor<6x2xf32>
  %bv = tandem.weight @a.v.b : tensor<2xf32>
  %v = tandem.linear %x, %wv bias(%bv) : (!x, tensor<6x2xf32>, tensor<2xf32>) -> !two
  %o = tandem.weight @out : tensor<3x6xf32>
  %o2 = tandem.weight @out2 : tensor<2x6xf32>
  %0 = tandem.linear %q, %o : (tensor<4x3xf32>, tensor<3x6xf32>) -> !x
  %1 = tandem.linear %k, %o2 : (!two, tensor<2x6xf32>) -> !x
  %2 = tandem.linear %v, %o2 : (!two, tensor<2x6xf32>) -> !x
  return %0, %1, %2 : !x, !x, !x
}

// -----

// Weights that are stored the other way round meet in their rows.
// CHECK:       tandem.parameter @q_k : tensor<5x6xf32> parts [@q, @k] dim 0
tandem.parameter @q : tensor<3x6xf32>
tandem.parameter @k : tensor<2x6xf32>
!x = tensor<4x6xf32>
// CHECK-LABEL: @transposed
// CHECK:         tandem.linear {{.*}} {transpose_rhs} : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x5xf32>
func.func @transposed(%x: !x, %a: tensor<3x1xf32>, %b: tensor<2x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %wq = tandem.weight @q : tensor<3x6xf32>
  %q = tandem.linear %x, %wq {transpose_rhs} : (!x, tensor<3x6xf32>) -> tensor<4x3xf32>
  %wk = tandem.weight @k : tensor<2x6xf32>
  %k = tandem.linear %x, %wk {transpose_rhs} : (!x, tensor<2x6xf32>) -> tensor<4x2xf32>
  %0 = tandem.linear %q, %a : (tensor<4x3xf32>, tensor<3x1xf32>) -> tensor<4x1xf32>
  %1 = tandem.linear %k, %b : (tensor<4x2xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<4x1xf32>
}

// -----

// A table that something else reads as well would be packed twice; the others
// are merged without it.
// CHECK:       parts [@q, @v]
tandem.parameter @q : tensor<3x3xf32>
tandem.parameter @tied : tensor<3x3xf32>
tandem.parameter @v : tensor<3x3xf32>
!x = tensor<4x3xf32>
!w = tensor<3x3xf32>
// CHECK-LABEL: @beside_a_tied_weight
func.func @beside_a_tied_weight(%x: !x, %o: !w, %i: tensor<4xi32>) -> (!x, !x, !x, !x) {
  %wq = tandem.weight @q : !w
  %q = tandem.linear %x, %wq : (!x, !w) -> !x
  %wk = tandem.weight @tied : !w
  %k = tandem.linear %x, %wk : (!x, !w) -> !x
  %wv = tandem.weight @v : !w
  %v = tandem.linear %x, %wv : (!x, !w) -> !x
  %0 = tandem.linear %q, %o : (!x, !w) -> !x
  %1 = tandem.linear %k, %o : (!x, !w) -> !x
  %2 = tandem.linear %v, %o : (!x, !w) -> !x
  %3 = tandem.embedding %wk, %i : (!w, tensor<4xi32>) -> !x
  return %0, %1, %2, %3 : !x, !x, !x, !x
}
