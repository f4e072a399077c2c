#ifndef TANDEM_KV_CACHE_OPS_TD
#define TANDEM_KV_CACHE_OPS_TD

// What writes the KV cache, and what reads it as it is.

include "ir/OpBase.td"

def Tandem_KvAppendOp : Tandem_Op<"kv_append",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "writes keys and values of rows at their positions";
  let description = [{
    keys and values `[N, heads * head_size]`; row n goes to position
    `positions[n]` of sequence `sequences[n]`, through `block_tables`
    `[sequences, blocks a sequence]`. Rows from `valid[0]` on write nothing.
    The result is the cache operand, updated in place; after bufferization
    there is no result.

    ```mlir
    %c2 = tandem.kv_append %c, %k, %v rows(%positions, %sequences, %tables, %valid) {layer = 0 : i64}
        : (!tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>,
           tensor<1x32xf32>, tensor<1x32xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>, tensor<1xi32>)
        -> !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
    ```
  }];
  let arguments = (ins Tandem_KvCacheType:$cache, Tandem_Floats:$keys, Tandem_Floats:$values,
      Tandem_Ids:$positions, Tandem_Ids:$sequences, Tandem_Ids:$block_tables, Tandem_Ids:$valid,
      I64Attr:$layer);
  let results = (outs Optional<Tandem_KvCacheType>:$result);
  let assemblyFormat = [{
    $cache `,` $keys `,` $values `rows` `(` $positions `,` $sequences `,` $block_tables `,` $valid `)`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Tandem_KvReadOp : Tandem_ComputeOp<"kv_read"> {
  let summary = "the keys or values of a layer, gathered";
  let description = [{
    out `[heads, S, ?, head_size]`: for the s-th group of `N / S` rows, what the
    cache holds of that group's sequence at positions 0 to the largest position
    of any valid row. `S` is `num_sequences`; the open dimension is bounded by
    the cache's positions. A group past `valid` reads zeros.

    ```mlir
    %k = tandem.kv_read %c rows(%positions, %sequences, %tables, %valid)
        {layer = 0 : i64, num_sequences = 1 : i64, part = #tandem<part key>}
        : (!tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>,
           tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<4x1x?x8xf32>
    ```
  }];
  let arguments = (ins Tandem_KvCacheType:$cache,
      Tandem_Ids:$positions, Tandem_Ids:$sequences, Tandem_Ids:$block_tables, Tandem_Ids:$valid,
      Variadic<Tandem_Out>:$outs, I64Attr:$layer, I64Attr:$num_sequences,
      OptionalAttr<I64Attr>:$num_positions, Tandem_KvPartAttr:$part);
  let assemblyFormat = [{
    $cache `rows` `(` $positions `,` $sequences `,` $block_tables `,` $valid `)` (`into` $outs^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif
