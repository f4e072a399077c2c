#ifndef TANDEM_FUSED_OPS_TD
#define TANDEM_FUSED_OPS_TD

// What passes make of several ops.

include "ir/OpBase.td"

def Tandem_AddEmbeddingOp : Tandem_ComputeOp<"add_embedding"> {
  let summary = "sums of rows of two tables, chosen by ids";
  let description = [{
    `out[n, d] = lhs_table[lhs_ids[n], d] + rhs_table[rhs_ids[n], d]`: tables
    `[V, d]` and `[P, d]`, ids `[N]`, out `[N, d]`.

    ```mlir
    %x = tandem.add_embedding %words, %tokens, %places, %positions
        : (tensor<97x32xf32>, tensor<4xi32>, tensor<64x32xf32>, tensor<4xi32>) -> tensor<4x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Weights:$lhs_table, Tandem_Ids:$lhs_ids,
      Tandem_Weights:$rhs_table, Tandem_Ids:$rhs_ids, Variadic<Tandem_Out>:$outs);
  let assemblyFormat = [{
    $lhs_table `,` $lhs_ids `,` $rhs_table `,` $rhs_ids (`into` $outs^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_LinearOp : Tandem_ComputeOp<"linear", [AttrSizedOperandSegments]> {
  let summary = "matmul with bias, activation and residual";
  let description = [{
    `activation(x weight + bias) + residual`: x `[N, K]`, weight `[K, M]`
    (`[M, K]` with `transpose_rhs`), bias `[M]`, residual and out `[N, M]`.
    `out` may be the residual's buffer. x and weight are both f32, both bf16,
    or x is qint8 and weight qint8 or qint4; sums are f32 (of whole numbers,
    exact), and so is everything else.

    ```mlir
    %y = tandem.linear %x, %w bias(%b) residual(%r)
        : (tensor<4x32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Tandem_Factors:$x, Tandem_Weights:$weight, Optional<Tandem_Floats>:$bias,
      Optional<Tandem_Floats>:$residual, Optional<Tandem_Scratch>:$scratch, Variadic<Tandem_Out>:$outs,
      OptionalAttr<Tandem_ActivationAttr>:$activation, UnitAttr:$transpose_rhs);
  let assemblyFormat = [{
    $x `,` $weight (`bias` `(` $bias^ `)`)? (`residual` `(` $residual^ `)`)? (`scratch` `(` $scratch^ `)`)?
    (`into` $outs^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_AttentionOp : Tandem_ComputeOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "causal attention of rows of one sequence to each other";
  let description = [{
    Per head, `softmax(scale * q k^T, masked past the row's position) v`
    (Vaswani et al. 2017): q, k, v and out `[N, heads * head_size]`,
    positions `[N]`; row j has position j.

    ```mlir
    %y = tandem.attention %q, %k, %v, %positions {heads = 4 : i64, scale = 0.35 : f64}
        : (tensor<6x32xf32>, tensor<6x32xf32>, tensor<6x32xf32>, tensor<6xi32>) -> tensor<6x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$q, Tandem_Floats:$k, Tandem_Floats:$v, Tandem_Ids:$positions,
      Optional<Tandem_Scratch>:$scratch, Variadic<Tandem_Out>:$outs, I64Attr:$heads, F64Attr:$scale);
  let assemblyFormat = [{
    $q `,` $k `,` $v `,` $positions (`scratch` `(` $scratch^ `)`)? (`into` $outs^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_CachedAttentionOp : Tandem_ComputeOp<"cached_attention", [AttrSizedOperandSegments]> {
  let summary = "attention of each row to its own sequence in the KV cache";
  let description = [{
    As `attention`, with the keys and values of positions 0 to `positions[n]`
    of sequence `sequences[n]`: q and out `[N, heads * head_size]`. It reads
    the cache's blocks where they lie. Rows from `valid[0]` on are zero.

    ```mlir
    %y = tandem.cached_attention %q, %c rows(%positions, %sequences, %tables, %valid) {layer = 0 : i64, scale = 0.35 : f64}
        : (tensor<1x32xf32>, !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>,
           tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<1x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$q, Tandem_KvCacheType:$cache,
      Tandem_Ids:$positions, Tandem_Ids:$sequences, Tandem_Ids:$block_tables, Tandem_Ids:$valid,
      Optional<Tandem_Scratch>:$scratch, Variadic<Tandem_Out>:$outs, I64Attr:$layer, F64Attr:$scale);
  let assemblyFormat = [{
    $q `,` $cache `rows` `(` $positions `,` $sequences `,` $block_tables `,` $valid `)`
    (`scratch` `(` $scratch^ `)`)? (`into` $outs^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Tandem_AddLayerNormOp : Tandem_ComputeOp<"add_layer_norm"> {
  let summary = "a sum, and its layer normalisation";
  let description = [{
    Two results: `lhs + rhs`, and its `layer_norm`; all `[N, d]`.

    ```mlir
    %s, %y = tandem.add_layer_norm %a, %b, %scale, %bias {epsilon = 1.0e-5 : f64}
        : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>)
    ```
  }];
  let arguments = (ins Tandem_Floats:$lhs, Tandem_Floats:$rhs, Tandem_Floats:$scale, Tandem_Floats:$bias,
                       Variadic<Tandem_Out>:$outs, F64Attr:$epsilon);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $scale `,` $bias (`into` $outs^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif
