// Offsets, worked out by hand. Everything is aligned to 64 bytes.
// RUN: tandem-opt %s --plan-memory | FileCheck %s

// 3 x 5 f32 are 60 bytes. Column panels pad 70 columns to 128: 2 x 128 x 4 =
// 1024 bytes. Row panels pad 3 rows to 64: 64 x 5 x 4 = 1280.
// CHECK: @plain : tensor<3x5xf32> at 0
tandem.parameter @plain : tensor<3x5xf32>
// CHECK: @columns : tensor<2x70xf32> layout column_panels at 64
tandem.parameter @columns : tensor<2x70xf32> layout column_panels
// CHECK: @unread : tensor<9x9xf32>{{$}}
tandem.parameter @unread : tensor<9x9xf32>
// CHECK: @rows : tensor<3x5xf32> layout row_panels at 1088
tandem.parameter @rows : tensor<3x5xf32> layout row_panels
// CHECK: @last : tensor<2xf32> at 2368
tandem.parameter @last : tensor<2xf32>

!t = memref<16x16xf32, #tandem.storage<transient>>
!x = memref<16x16xf32, #tandem.storage<external>>

func.func @constants() {
  %0 = tandem.weight @plain : memref<3x5xf32, #tandem.storage<constant>>
  %1 = tandem.weight @columns : memref<2x70xf32, #tandem.storage<constant>>
  %2 = tandem.weight @rows : memref<3x5xf32, #tandem.storage<constant>>
  %3 = tandem.weight @last : memref<2xf32, #tandem.storage<constant>>
  return
}

// 1024 bytes each. A matmul may not write over what it reads, so %b lies beside
// %a; when %c is written %a is dead, and its bytes are free again.
// CHECK-LABEL: @reuse
// CHECK-SAME:    (%[[ARENA:[a-z0-9]+]]: memref<2048xi8, #transient> {tandem.name = "arena"}
// CHECK:         %[[A:.*]] = memref.view %[[ARENA]][%c0][]
// CHECK:         %[[B:.*]] = memref.view %[[ARENA]][%c1024][]
// CHECK:         tandem.matmul %[[A]], %arg1 into %[[B]]
// CHECK:         %[[C:.*]] = memref.view %[[ARENA]][%c0_{{[0-9]+}}][]
// CHECK:         tandem.matmul %[[B]], %arg1 into %[[C]]
// CHECK-NOT:     memref.alloc
func.func @reuse(%x: !x, %y: !x) {
  %a = memref.alloc() : !t
  tandem.matmul %x, %x into %a : (!x, !x, !t) -> ()
  %b = memref.alloc() : !t
  tandem.matmul %a, %x into %b : (!t, !x, !t) -> ()
  %c = memref.alloc() : !t
  tandem.matmul %b, %x into %c : (!t, !x, !t) -> ()
  tandem.matmul %c, %x into %y : (!t, !x, !x) -> ()
  return
}

// A residual that dies at the linear is where its sum goes: x, residual and
// result in 2048 bytes.
// CHECK-LABEL: @in_place
// CHECK-SAME:    memref<2048xi8
// CHECK:         %[[R:.*]] = memref.view %{{.*}}[%c1024][]
// CHECK:         %[[OUT:.*]] = memref.view %{{.*}}[%c1024_{{[0-9]+}}][]
// CHECK-NEXT:    tandem.linear %{{.*}} residual(%[[R]]) into %[[OUT]]
func.func @in_place(%x: !x, %y: !x) {
  %a = memref.alloc() : !t
  tandem.matmul %x, %x into %a : (!x, !x, !t) -> ()
  %r = memref.alloc() : !t
  tandem.matmul %x, %x into %r : (!x, !x, !t) -> ()
  %b = memref.alloc() : !t
  tandem.linear %a, %x residual(%r) into %b : (!t, !x, !t, !t) -> ()
  tandem.matmul %b, %x into %y : (!t, !x, !x) -> ()
  return
}

// Not where the residual is read again, here as a view, by the product itself:
// residual and result in 2048 bytes.
// CHECK-LABEL: @not_over_a_view
// CHECK-SAME:    memref<2048xi8
func.func @not_over_a_view(%x: !x, %w: memref<8x16xf32, #tandem.storage<external>>, %y: !x) {
  %r = memref.alloc() : !t
  tandem.matmul %x, %x into %r : (!x, !x, !t) -> ()
  %part = memref.subview %r[0, 0] [16, 8] [1, 1] : !t to memref<16x8xf32, strided<[16, 1]>, #tandem.storage<transient>>
  %b = memref.alloc() : !t
  tandem.linear %part, %w residual(%r) into %b
      : (memref<16x8xf32, strided<[16, 1]>, #tandem.storage<transient>>, memref<8x16xf32, #tandem.storage<external>>, !t, !t) -> ()
  tandem.matmul %b, %x into %y : (!t, !x, !x) -> ()
  return
}
