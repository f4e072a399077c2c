#ifndef TANDEM_GRAPH_OPS_TD
#define TANDEM_GRAPH_OPS_TD

// The ops that a model is described with, and that compute.

include "ir/OpBase.td"

def Tandem_EmbeddingOp : Tandem_ComputeOp<"embedding"> {
  let summary = "rows of a table, chosen by ids";
  let description = [{
    `out[n, d] = table[ids[n], d]`: table `[V, d]`, ids `[N]`, out `[N, d]`.

    ```mlir
    %x = tandem.embedding %table, %ids : (tensor<97x32xf32>, tensor<4xi32>) -> tensor<4x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Weights:$table, Tandem_Ids:$ids, Variadic<Tandem_Out>:$outs);
  let assemblyFormat = [{
    $table `,` $ids (`into` $outs^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_LayerNormOp : Tandem_ComputeOp<"layer_norm"> {
  let summary = "layer normalisation over the last dimension";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias` (Ba et al. 2016),
    with the biased variance: x `[N, d]`, scale and bias `[d]`, out `[N, d]`.

    ```mlir
    %y = tandem.layer_norm %x, %scale, %bias {epsilon = 1.0e-5 : f64}
        : (tensor<4x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<4x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$x, Tandem_Floats:$scale, Tandem_Floats:$bias,
                       Variadic<Tandem_Out>:$outs, F64Attr:$epsilon);
  let assemblyFormat = [{
    $x `,` $scale `,` $bias (`into` $outs^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_MatmulOp : Tandem_ComputeOp<"matmul"> {
  let summary = "matrix product of the last two dimensions";
  let description = [{
    lhs `[batch..., M, K]`, rhs `[batch..., K, N]` or `[K, N]` shared by all,
    out `[batch..., M, N]`. With `transpose_rhs`, rhs is `[..., N, K]`.

    ```mlir
    %s = tandem.matmul %q, %k {transpose_rhs}
        : (tensor<4x6x8xf32>, tensor<4x9x8xf32>) -> tensor<4x6x9xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$lhs, Tandem_Floats:$rhs,
                       Variadic<Tandem_Out>:$outs, UnitAttr:$transpose_rhs);
  let assemblyFormat = [{
    $lhs `,` $rhs (`into` $outs^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

def Tandem_CastOp : Tandem_ComputeOp<"cast", [], "adaptor.getTo()"> {
  let summary = "the same rows in narrower numbers";
  let description = [{
    x `[N, d]` in f32, out `[N, d]` in bf16 (the nearest, ties to even) or in
    qint8, each row with the scale that its largest magnitude asks for.

    ```mlir
    %y = tandem.cast %x {to = bf16} : (tensor<4x32xf32>) -> tensor<4x32xbf16>
    ```
  }];
  let arguments = (ins Tandem_Floats:$x, Variadic<Tandem_NarrowOut>:$outs, TypeAttr:$to);
  let results = (outs Variadic<RankedTensorOf<[BF16, Tandem_QInt8Type]>>:$results);
  let assemblyFormat = [{
    $x (`into` $outs^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_AddOp : Tandem_BinaryOp<"add"> {
  let summary = "elementwise sum";
  let description = [{
    The right operand has the left's shape, or a suffix of it.

    ```mlir
    %y = tandem.add %x, %bias : (tensor<4x32xf32>, tensor<32xf32>) -> tensor<4x32xf32>
    ```
  }];
}

def Tandem_MulOp : Tandem_BinaryOp<"mul"> {
  let summary = "elementwise product";
  let description = [{
    The right operand has the left's shape, or a suffix of it.

    ```mlir
    %y = tandem.mul %x, %gate : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    ```
  }];
}

def Tandem_ScaleOp : Tandem_UnaryOp<"scale"> {
  let summary = "product with a constant";
  let description = [{
    `out = factor * x`, of x's shape.

    ```mlir
    %y = tandem.scale %x {factor = 1.25e-1 : f64} : (tensor<4x32xf32>) -> tensor<4x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$x, Variadic<Tandem_Out>:$outs, F64Attr:$factor);
  let hasFolder = 1;
}

def Tandem_ActivationOp : Tandem_UnaryOp<"activation"> {
  let summary = "elementwise nonlinearity";
  let description = [{
    Of x's shape. `gelu_tanh` is
    `x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`, `gelu_erf` is
    `x/2 (1 + erf(x/sqrt(2)))` (Hendrycks and Gimpel 2016), `silu` is
    `x / (1 + exp(-x))`.

    ```mlir
    %y = tandem.activation %x {kind = #tandem.activation<gelu_tanh>} : (tensor<4x32xf32>) -> tensor<4x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$x, Variadic<Tandem_Out>:$outs, Tandem_ActivationAttr:$kind);
}

def Tandem_SoftmaxOp : Tandem_UnaryOp<"softmax"> {
  let summary = "softmax over the last dimension";
  let description = [{
    `exp(x - max) / sum(exp(x - max))`, of x's shape.

    ```mlir
    %y = tandem.softmax %x : (tensor<4x6x9xf32>) -> tensor<4x6x9xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$x, Variadic<Tandem_Out>:$outs);
}

def Tandem_CausalMaskOp : Tandem_ComputeOp<"causal_mask"> {
  let summary = "hides what lies after a row's position";
  let description = [{
    scores `[..., C]` whose column j belongs to position j; positions `[N]`,
    where N is the product of the trailing leading dimensions that number the
    rows (row i of the flattened leading dimensions has position
    `positions[i mod N]`). Columns past the row's position become -infinity.

    ```mlir
    %m = tandem.causal_mask %s, %positions : (tensor<4x6x9xf32>, tensor<6xi32>) -> tensor<4x6x9xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$scores, Tandem_Ids:$positions, Variadic<Tandem_Out>:$outs);
  let assemblyFormat = [{
    $scores `,` $positions (`into` $outs^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif
