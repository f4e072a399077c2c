// With the option `counts` a pass says in a remark what it did.
// RUN: tandem-opt %s --pass-pipeline="builtin.module(func.func(fuse-linear{counts=true}))" 2>&1 >/dev/null | FileCheck %s
// RUN: tandem-opt %s --fuse-linear 2>&1 >/dev/null | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: not tandem-opt %s --check-legality=after=fuse-linear 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tandem-opt %s --check-legality=after=bufferize 2>&1 | FileCheck %s --check-prefix=ILLEGAL

// SILENT-NOT: remark
// UNKNOWN: error: check-legality after: got 'fuse-linear', expected one of specialize-phases,
// ILLEGAL: counts-and-legality.mlir:[[#]]:8: error: 'tandem.weight' op is illegal after bufferize: got 'tensor<2x3xf32>', expected memrefs

tandem.parameter @w : tensor<2x3xf32>

// CHECK: counts-and-legality.mlir:[[#@LINE+1]]:1: remark: fuse-linear: linears formed 2, biases folded 0, activations folded 1, residuals folded 1
func.func @f(%x: tensor<4x2xf32>, %r: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %w = tandem.weight @w : tensor<2x3xf32>
  %0 = tandem.matmul %x, %w : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = tandem.activation %0 {kind = #tandem.activation<relu>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %2 = tandem.matmul %x, %w : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %3 = tandem.add %r, %2 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1, %3 : tensor<4x3xf32>, tensor<4x3xf32>
}
