#ifndef TANDEM_MOVEMENT_OPS_TD
#define TANDEM_MOVEMENT_OPS_TD

// The ops that a model is described with, and that only move elements.

include "ir/OpBase.td"

def Tandem_ReshapeOp : Tandem_UnaryOp<"reshape"> {
  let summary = "the same elements in another shape";
  let description = [{
    `shape` gives the new shape; one `-1` in it stands for whatever is left.

    ```mlir
    %y = tandem.reshape %x {shape = array<i64: -1, 4, 8>} : (tensor<6x32xf32>) -> tensor<6x4x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$x, Variadic<Tandem_Out>:$outs, DenseI64ArrayAttr:$shape);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tandem_TransposeOp : Tandem_UnaryOp<"transpose"> {
  let summary = "permuted dimensions";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of x.

    ```mlir
    %y = tandem.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<6x4x8xf32>) -> tensor<4x6x8xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$x, Variadic<Tandem_Out>:$outs, DenseI64ArrayAttr:$permutation);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tandem_SliceOp : Tandem_UnaryOp<"slice"> {
  let summary = "a range of one dimension";
  let description = [{
    Indices `offset` to `offset + size - 1` of dimension `dim`; after
    bufferization a view, where its readers can step over the rest of a row.

    ```mlir
    %q = tandem.slice %x {dim = 1 : i64, offset = 0 : i64, size = 32 : i64} : (tensor<6x96xf32>) -> tensor<6x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$x, Variadic<Tandem_Out>:$outs,
                       I64Attr:$dim, I64Attr:$offset, I64Attr:$size);
  let hasFolder = 1;
}

#endif
