// The sum of rows of two tables becomes one op.
// RUN: tandem-opt %s --fuse-embedding | FileCheck %s

!ids = tensor<4xi32>
!rows = tensor<4x3xf32>

// CHECK-LABEL: @sum
// CHECK-SAME:    (%[[A:[a-z0-9]+]]: tensor<9x3xf32>, %[[I:[a-z0-9]+]]: tensor<4xi32>, %[[B:[a-z0-9]+]]: tensor<7x3xf32>, %[[J:[a-z0-9]+]]: tensor<4xi32>)
// CHECK-NEXT:    %[[Y:.*]] = tandem.add_embedding %[[A]], %[[I]], %[[B]], %[[J]]
// CHECK-NEXT:    return %[[Y]]
func.func @sum(%a: tensor<9x3xf32>, %i: !ids, %b: tensor<7x3xf32>, %j: !ids) -> !rows {
  %0 = tandem.embedding %b, %j : (tensor<7x3xf32>, !ids) -> !rows
  %1 = tandem.embedding %a, %i : (tensor<9x3xf32>, !ids) -> !rows
  %2 = tandem.add %1, %0 : (!rows, !rows) -> !rows
  return %2 : !rows
}

// The rows of one table have a second reader.
// CHECK-LABEL: @read_twice
// CHECK:         tandem.embedding
// CHECK:         tandem.embedding
// CHECK:         tandem.add %
func.func @read_twice(%a: tensor<9x3xf32>, %i: !ids, %b: tensor<7x3xf32>, %j: !ids) -> (!rows, !rows) {
  %0 = tandem.embedding %a, %i : (tensor<9x3xf32>, !ids) -> !rows
  %1 = tandem.embedding %b, %j : (tensor<7x3xf32>, !ids) -> !rows
  %2 = tandem.add %0, %1 : (!rows, !rows) -> !rows
  return %1, %2 : !rows, !rows
}

// So do these: both sides of the sum.
// CHECK-LABEL: @doubled
// CHECK:         tandem.embedding
// CHECK:         tandem.add %
func.func @doubled(%a: tensor<9x3xf32>, %i: !ids) -> !rows {
  %0 = tandem.embedding %a, %i : (tensor<9x3xf32>, !ids) -> !rows
  %1 = tandem.add %0, %0 : (!rows, !rows) -> !rows
  return %1 : !rows
}

// One table, and rows that come from elsewhere.
// CHECK-LABEL: @one_table
// CHECK:         tandem.embedding
// CHECK:         tandem.add %
func.func @one_table(%a: tensor<9x3xf32>, %i: !ids, %x: !rows) -> !rows {
  %0 = tandem.embedding %a, %i : (tensor<9x3xf32>, !ids) -> !rows
  %1 = tandem.add %x, %0 : (!rows, !rows) -> !rows
  return %1 : !rows
}
