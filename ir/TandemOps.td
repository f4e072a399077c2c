#ifndef TANDEM_OPS_TD
#define TANDEM_OPS_TD

include "ir/TandemDialect.td"
include "ir/TandemInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===-- Operand types -----------------------------------------------------===//

def Tandem_Floats : AnyTypeOf<[RankedTensorOf<[F32]>, StridedMemRefRankOf<[F32], [0, 1, 2, 3, 4, 5]>],
                              "f32 tensor or memref">;
def Tandem_Ids : AnyTypeOf<[RankedTensorOf<[I32]>, MemRefRankOf<[I32], [1, 2]>],
                           "i32 tensor or memref">;
def Tandem_Out : StridedMemRefRankOf<[F32], [0, 1, 2, 3, 4, 5]>;
def Tandem_Scratch : MemRefRankOf<[I8], [1]>;

//===-- Base classes ------------------------------------------------------===//

class Tandem_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tandem_Dialect, mnemonic, traits>;

/// An op that computes arrays: results as tensors, or destinations `into`
/// which it writes as memrefs. Its shape rule is inferReturnTypes.
class Tandem_ComputeOp<string mnemonic, list<Trait> traits = []>
    : Tandem_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<Tandem_ComputeOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, InferTypeOpAdaptor]> {
  let results = (outs Variadic<RankedTensorOf<[F32]>>:$results);
  let extraClassDeclaration = [{
    /// The shape rule: the shape of each result or destination, or an error at
    /// `location` that names the operand, what it is and what was expected.
    static ::mlir::FailureOr<Shapes>
    inferShapes(std::optional<::mlir::Location> location, Adaptor adaptor);
  }];
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::mlir::SmallVectorImpl<::mlir::Type> &types) {
      return inferTensors(context, inferShapes(location, adaptor),
                          adaptor.getOuts(), types);
    }
    ::mlir::LogicalResult $cppClass::verify() {
      return verifyDestinations(
          getOperation(), getOuts(),
          inferShapes(getLoc(), Adaptor(getOperation()->getOperands(), *this)));
    }
    void $cppClass::getEffects(
        ::mlir::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      addBufferEffects(getOperation(), getOuts(), effects);
    }
    ::mlir::OperandRange $cppClass::getDestinations() { return getOuts(); }
  }];
  let hasVerifier = 1;
}

/// One input, one output of the same shape.
class Tandem_UnaryOp<string mnemonic, list<Trait> traits = []>
    : Tandem_ComputeOp<mnemonic, traits> {
  let assemblyFormat = [{
    $x (`into` $outs^)? attr-dict `:` functional-type(operands, results)
  }];
}

/// Elementwise; the right operand may be a suffix of the left's shape, which
/// is then repeated over the leading dimensions.
class Tandem_BinaryOp<string mnemonic> : Tandem_ComputeOp<mnemonic> {
  let arguments = (ins Tandem_Floats:$lhs, Tandem_Floats:$rhs,
                       Variadic<Tandem_Out>:$outs);
  let assemblyFormat = [{
    $lhs `,` $rhs (`into` $outs^)? attr-dict `:` functional-type(operands, results)
  }];
}

//===-- Parameters --------------------------------------------------------===//

def Tandem_ParameterOp : Tandem_Op<"parameter", [Symbol]> {
  let summary = "declares a weight that the module's store holds under this name";
  let description = [{
    The type is the shape as the checkpoint has it. `layout` and `offset` are
    given when memory is laid out: where in the constant segment, in bytes, and
    in which order the elements lie.

    ```mlir
    tandem.parameter @wte : tensor<50257x768xf32>
    tandem.parameter @head : tensor<50257x768xf32> layout row_panels at 4096
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
      DefaultValuedAttr<Tandem_WeightLayoutAttr, "::tandem::WeightLayout::Plain">:$layout,
      OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $sym_name `:` $type (`layout` `` $layout^)? (`at` $offset^)? attr-dict
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Type":$type), [{
    build($_builder, $_state, $_builder.getStringAttr(name),
          ::mlir::TypeAttr::get(type),
          WeightLayoutAttr::get($_builder.getContext(), WeightLayout::Plain), nullptr);
  }]>];
  let hasVerifier = 1;
}

def Tandem_WeightOp : Tandem_Op<"weight",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the value of a parameter";
  let description = [{
    The shape is the parameter's.

    ```mlir
    %w = tandem.weight @wte : tensor<50257x768xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs Tandem_Floats:$result);
  let assemblyFormat = "$parameter attr-dict `:` type($result)";
}

//===-- Graph ops ---------------------------------------------------------===//

def Tandem_EmbeddingOp : Tandem_ComputeOp<"embedding"> {
  let summary = "rows of a table, chosen by ids";
  let description = [{
    `out[n, d] = table[ids[n], d]`: table `[V, d]`, ids `[N]`, out `[N, d]`.

    ```mlir
    %x = tandem.embedding %table, %ids : (tensor<97x32xf32>, tensor<4xi32>) -> tensor<4x32xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$table, Tandem_Ids:$ids, Variadic<Tandem_Out>:$outs);
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

//===-- KV cache ops ------------------------------------------------------===//

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

//===-- Fused ops ---------------------------------------------------------===//

def Tandem_LinearOp : Tandem_ComputeOp<"linear", [AttrSizedOperandSegments]> {
  let summary = "matmul with bias, activation and residual";
  let description = [{
    `activation(x weight + bias) + residual`: x `[N, K]`, weight `[K, M]`
    (`[M, K]` with `transpose_rhs`), bias `[M]`, residual and out `[N, M]`.
    `out` may be the residual's buffer.

    ```mlir
    %y = tandem.linear %x, %w bias(%b) residual(%r)
        : (tensor<4x32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Tandem_Floats:$x, Tandem_Floats:$weight, Optional<Tandem_Floats>:$bias,
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
