#ifndef TANDEM_PASSES_TD
#define TANDEM_PASSES_TD

include "mlir/Pass/PassBase.td"

/// A pass that counts what it does: passes/CountingPass.h.
class Tandem_Pass<string argument, string operation>
    : PassBase<argument, "::tandem::CountingPass<" # operation # ">">;

def SpecializePhases : Tandem_Pass<"specialize-phases", "::mlir::ModuleOp"> {
  let summary = "derive prefill, decode, head and forward programs from the model";
  let description = [{
    Takes the one function of phase `model` and writes a program for each
    requested number of rows. The head is cut off at the matmul that makes the
    logits: prefill and forward programs end in hidden rows, head programs
    take them up, decode programs do both. Refuses a model whose positions
    influence each other other than causally, naming the op.

    ```mlir
    func.func @forward(%tokens: tensor<?xi32>, ...) -> tensor<?x97xf32>
    // becomes
    func.func @prefill_16(%tokens: tensor<16xi32>, ...) -> tensor<16x32xf32>
    func.func @decode_1(%tokens: tensor<1xi32>, ...) -> (tensor<1x32xf32>, tensor<1x97xf32>)
    func.func @head_1(%hidden: tensor<1x32xf32>) -> tensor<1x97xf32>
    ```
  }];
  let options = [
    ListOption<"prefill", "prefill", "int64_t", "rows of the prefill programs">,
    ListOption<"decode", "decode", "int64_t", "sequences of the decode programs">,
    ListOption<"head", "head", "int64_t", "rows of the head programs">,
    ListOption<"forward", "forward", "int64_t", "rows of the programs without a cache, -1 for any">];
}

def InsertKvCache : Tandem_Pass<"insert-kv-cache", "::mlir::ModuleOp"> {
  let summary = "attend to the KV cache in prefill and decode programs";
  let description = [{
    Finds each attention by where the rows' dimension goes, appends its keys and
    values to the cache, and lets it read the whole sequence from there.

    ```mlir
    %s = tandem.matmul %q, %k {transpose_rhs}
    // becomes
    %c1 = tandem.kv_append %cache, %k_rows, %v_rows rows(...) {layer = 0 : i64}
    %keys = tandem.kv_read %c1 rows(...) {layer = 0 : i64, part = key}
    %s = tandem.matmul %q_grouped, %keys {transpose_rhs}
    ```
  }];
}

def FuseAttention : Tandem_Pass<"fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "make softmax(scale q k^T masked) v one op";
  let description = [{
    With keys and values from `kv_read` the result is `cached_attention`, which
    reads the cache's blocks where they lie; otherwise `attention`. Factors
    before and after the mask and on the queries all count; keys and values may
    come with their rows last.

    ```mlir
    %s = tandem.matmul %q, %k {transpose_rhs}
    %t = tandem.scale %s {factor = 0.125 : f64}
    %m = tandem.causal_mask %t, %positions
    %p = tandem.softmax %m
    %y = tandem.matmul %p, %v
    // becomes
    %y = tandem.attention %q_rows, %k_rows, %v_rows, %positions {heads = 12 : i64, scale = 0.125 : f64}
    ```
  }];
}

def FuseLinear : Tandem_Pass<"fuse-linear", "::mlir::func::FuncOp"> {
  let summary = "make matmul by a weight, bias, activation and residual one op";
  let description = [{
    Bias, then activation, then residual are taken in where nothing else reads
    the value between.

    ```mlir
    %0 = tandem.matmul %x, %w
    %1 = tandem.add %0, %bias
    %2 = tandem.add %residual, %1
    // becomes
    %2 = tandem.linear %x, %w bias(%bias) residual(%residual)
    ```
  }];
}

def MergeProjections : Tandem_Pass<"merge-projections", "::mlir::ModuleOp"> {
  let summary = "make linears of one value one wide linear";
  let description = [{
    Queries, keys and values by weights of their own become slices of one
    product, as if the checkpoint had one weight for them. Its parameter names
    the parts, which are put together when it is packed. Only linears of the
    same form are merged, all with a bias or none, and only where nothing else
    in the module reads their parameters and whoever reads the products can
    step over the others' columns, so that a slice is a view.

    ```mlir
    tandem.parameter @q : tensor<768x768xf32>
    tandem.parameter @k : tensor<768x768xf32>
    %0 = tandem.linear %x, %q
    %1 = tandem.linear %x, %k
    // becomes
    tandem.parameter @q_k : tensor<768x1536xf32> parts [@q, @k] dim 1
    %qk = tandem.linear %x, %q_k
    %0 = tandem.slice %qk {dim = 1 : i64, offset = 0 : i64, size = 768 : i64}
    %1 = tandem.slice %qk {dim = 1 : i64, offset = 768 : i64, size = 768 : i64}
    ```
  }];
}

def FuseEmbedding : Tandem_Pass<"fuse-embedding", "::mlir::func::FuncOp"> {
  let summary = "make the sum of two embeddings one op";
  let description = [{
    Where nothing else reads the two.

    ```mlir
    %0 = tandem.embedding %words, %tokens
    %1 = tandem.embedding %places, %positions
    %2 = tandem.add %0, %1
    // becomes
    %2 = tandem.add_embedding %words, %tokens, %places, %positions
    ```
  }];
}

def FuseAddLayerNorm : Tandem_Pass<"fuse-add-layer-norm", "::mlir::func::FuncOp"> {
  let summary = "make a sum and its layer norm one op with two results";
  let description = [{
    ```mlir
    %0 = tandem.add %a, %b
    %1 = tandem.layer_norm %0, %scale, %bias
    // becomes
    %0, %1 = tandem.add_layer_norm %a, %b, %scale, %bias
    ```
  }];
}

def ChoosePrecision : Tandem_Pass<"choose-precision", "::mlir::ModuleOp"> {
  let summary = "multiply with weights in narrower numbers";
  let description = [{
    A weight that only `linear` ops (and, if tied, embeddings) read is kept in
    the element type that the precision asks for, in panels, and what it is
    multiplied with is cast to its counterpart, once however many read it. A
    `matmul` with a weight becomes a `linear` for that. Everything else stays
    f32: biases, norms, attention and the residual stream.

    ```mlir
    %y = tandem.linear %x, %w bias(%b) : (tensor<4x32xf32>, tensor<32x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    // becomes, with precision=bf16,
    %c = tandem.cast %x {to = bf16} : (tensor<4x32xf32>) -> tensor<4x32xbf16>
    %y = tandem.linear %c, %w bias(%b) : (tensor<4x32xbf16>, tensor<32x16xbf16>, tensor<16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let options = [Option<"precision", "precision", "std::string", "\"f32\"",
                        "f32, bf16, int8 or int4">];
}

def BoundCacheReads : Tandem_Pass<"bound-cache-reads", "::mlir::func::FuncOp"> {
  let summary = "give every kv_read that is left its full number of positions";
  let description = [{
    A plan needs sizes. An attention that was not fused reads as many positions
    as a sequence may have; the causal mask hides those not written yet.

    ```mlir
    %k = tandem.kv_read ... -> tensor<4x1x?x8xf32>
    // becomes
    %k = tandem.kv_read ... {num_positions = 64 : i64} -> tensor<4x1x64x8xf32>
    ```
  }];
}

def AssignLayouts : Tandem_Pass<"assign-layouts", "::mlir::ModuleOp"> {
  let summary = "choose one order of elements for each parameter";
  let description = [{
    A weight that only `linear` ops (and, if tied, `embedding`) read is packed
    into panels, in the order in which decode streams it; all programs share
    the one copy. Anything else stays plain.

    ```mlir
    tandem.parameter @w : tensor<768x3072xf32>
    // becomes
    tandem.parameter @w : tensor<768x3072xf32> layout column_panels
    ```
  }];
}

def Schedule : Tandem_Pass<"schedule", "::mlir::func::FuncOp"> {
  let summary = "order ops for the least peak of live bytes";
  let description = [{
    Weights move to their first reader; other ops are listed greedily. The
    order is changed only where the peak falls. Scratch counts, and so does a
    slice that `bufferize` will copy; one that it makes a view does not.

    ```mlir
    %0 = tandem.linear %x, %w : ... -> tensor<4x64xf32>
    %1 = tandem.linear %y, %w : ... -> tensor<4x64xf32> // 2048 bytes live
    %2 = tandem.linear %0, %v : ... -> tensor<4x1xf32>
    %3 = tandem.linear %1, %v : ... -> tensor<4x1xf32>
    // becomes
    %0 = tandem.linear %x, %w : ... -> tensor<4x64xf32>
    %2 = tandem.linear %0, %v : ... -> tensor<4x1xf32> // 1040 bytes live
    %1 = tandem.linear %y, %w : ... -> tensor<4x64xf32>
    %3 = tandem.linear %1, %v : ... -> tensor<4x1xf32>
    ```
  }];
}

def Bufferize : Tandem_Pass<"bufferize", "::mlir::ModuleOp"> {
  let summary = "turn tensors into buffers that ops write";
  let description = [{
    Arguments and results become external buffers, a slice becomes a view
    where its readers can step over the rest of a row, the
    cache is updated in place, and every other value gets a buffer of its own.

    ```mlir
    %y = tandem.scale %x {factor = 2.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %y = memref.alloc() : memref<4xf32, #tandem.storage<transient>>
    tandem.scale %x into %y {factor = 2.0 : f64} : (memref<4xf32, ..>, memref<4xf32, ..>) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanMemory : Tandem_Pass<"plan-memory", "::mlir::ModuleOp"> {
  let summary = "place every buffer at an offset";
  let description = [{
    Buffers whose lives do not overlap share bytes; an op may write over an
    operand that dies with it where the target allows. Parameters get their
    offsets in the constant segment.

    ```mlir
    %y = memref.alloc() : memref<4x32xf32, #tandem.storage<transient>>
    // becomes
    %y = memref.view %arena[%c512][] : memref<2048xi8, #tandem.storage<transient>> to memref<4x32xf32, #tandem.storage<transient>>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def CheckLegality : Pass<"check-legality", "::mlir::ModuleOp"> {
  let summary = "refuse what a pass should have left none of";
  let description = [{
    The pipeline runs it behind every pass that makes something illegal; the
    rules stand in one table, in `passes/Legality.cpp`.

    ```mlir
    // with after=plan-memory an error: "is illegal after plan-memory: got an
    // allocation, expected a view of the arena"
    %y = memref.alloc() : memref<4x32xf32, #tandem.storage<transient>>
    ```
  }];
  let options = [Option<"after", "after", "std::string", "", "the pass that has run">];
}

#endif
