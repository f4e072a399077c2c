// Narrow weights for linears, one cast a value, everything else f32.
// RUN: tandem-opt %s --choose-precision="precision=bf16" | FileCheck %s
// RUN: tandem-opt %s --choose-precision="precision=int8" | FileCheck %s --check-prefix=INT8
// RUN: tandem-opt %s --choose-precision="precision=int4" | FileCheck %s --check-prefix=INT4
// RUN: tandem-opt %s --choose-precision="precision=f32" | FileCheck %s --check-prefix=F32
// RUN: not tandem-opt %s --choose-precision="precision=fp8" 2>&1 | FileCheck %s --check-prefix=BAD

// CHECK: @w : tensor<2x3xbf16> layout column_panels
// INT8: @w : tensor<2x3x!tandem.qint8> layout column_panels
// INT4: @w : tensor<2x3x!tandem.qint4> layout column_panels
// F32: @w : tensor<2x3xf32>{{$}}
// BAD: precision: got 'fp8', expected f32, bf16, int8 or int4
tandem.parameter @w : tensor<2x3xf32>
// CHECK: @b : tensor<3xf32>{{$}}
tandem.parameter @b : tensor<3xf32>
// CHECK: @tied : tensor<5x2xbf16> layout row_panels
tandem.parameter @tied : tensor<5x2xf32>
// Nothing multiplies rows with these.
// CHECK: @places : tensor<4x2xf32>{{$}}
tandem.parameter @places : tensor<4x2xf32>
// CHECK: @gate : tensor<4x2xf32>{{$}}
tandem.parameter @gate : tensor<4x2xf32>
// Two linears would have this one in different panels.
// CHECK: @both_ways : tensor<2x2xf32>{{$}}
tandem.parameter @both_ways : tensor<2x2xf32>

// CHECK-LABEL: func.func @f
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>
// INT8-LABEL: func.func @f
// F32-LABEL: func.func @f
// F32-NOT: tandem.cast
func.func @f(%x: tensor<4x2xf32>, %ids: tensor<4xi32>) {
  // CHECK: %[[C:.*]] = tandem.cast %[[X]] {to = bf16} : (tensor<4x2xf32>) -> tensor<4x2xbf16>
  // CHECK-NOT: tandem.cast
  // INT8: tandem.cast %{{.*}} {to = !tandem.qint8} : (tensor<4x2xf32>) -> tensor<4x2x!tandem.qint8>
  %w = tandem.weight @w : tensor<2x3xf32>
  %b = tandem.weight @b : tensor<3xf32>
  // CHECK: tandem.linear %[[C]], %w bias(%b) : (tensor<4x2xbf16>, tensor<2x3xbf16>, tensor<3xf32>) -> tensor<4x3xf32>
  // INT8: tandem.linear {{.*}} : (tensor<4x2x!tandem.qint8>, tensor<2x3x!tandem.qint8>, tensor<3xf32>) -> tensor<4x3xf32>
  %0 = tandem.linear %x, %w bias(%b) : (tensor<4x2xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // What no fusion has made a linear becomes one.
  // CHECK: tandem.linear %[[C]], %tied {transpose_rhs} : (tensor<4x2xbf16>, tensor<5x2xbf16>) -> tensor<4x5xf32>
  %t = tandem.weight @tied : tensor<5x2xf32>
  %1 = tandem.matmul %x, %t {transpose_rhs} : (tensor<4x2xf32>, tensor<5x2xf32>) -> tensor<4x5xf32>
  // CHECK: tandem.embedding %tied, %{{.*}} : (tensor<5x2xbf16>, tensor<4xi32>) -> tensor<4x2xf32>
  %2 = tandem.embedding %t, %ids : (tensor<5x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  // CHECK: tandem.embedding %places
  %p = tandem.weight @places : tensor<4x2xf32>
  %3 = tandem.embedding %p, %ids : (tensor<4x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  // CHECK: tandem.mul
  %g = tandem.weight @gate : tensor<4x2xf32>
  %4 = tandem.mul %x, %g : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  // CHECK: tandem.linear %[[X]], %both_ways : (tensor<4x2xf32>
  %d = tandem.weight @both_ways : tensor<2x2xf32>
  %5 = tandem.linear %x, %d : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %6 = tandem.linear %x, %d {transpose_rhs} : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  return
}
