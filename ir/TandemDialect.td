#ifndef TANDEM_DIALECT_TD
#define TANDEM_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tandem_Dialect : Dialect {
  let name = "tandem";
  let cppNamespace = "::tandem";
  let summary = "GPT-2 as a graph of operators over rows of tokens.";
  let description = [{
    A module holds the model's parameters as symbols and one function a
    program. Before bufferization every value is a ranked tensor and an op has
    results; afterwards the same op reads memrefs, writes the memrefs after
    `into`, and has none. The KV cache is a value of type `!tandem.kv_cache` in
    both forms: `kv_append` ties its result to it, so that the update in place
    is visible while values are still tensors.

    A module may say of itself: `tandem.stage`, the stage it is at; `tandem.weights`,
    the folder or safetensors file that holds its parameters; `tandem.threads`, how
    many threads it was planned for; `tandem.eos_tokens`, what ends a text.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

//===-- Attributes --------------------------------------------------------===//

class Tandem_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tandem";
  let genSpecializedAttr = 0;
}

def Tandem_Activation : Tandem_Enum<"ActivationKind", "an elementwise nonlinearity", [
  I32EnumAttrCase<"GeluTanh", 0, "gelu_tanh">,
  I32EnumAttrCase<"GeluErf", 1, "gelu_erf">,
  I32EnumAttrCase<"Relu", 2, "relu">,
  I32EnumAttrCase<"Silu", 3, "silu">,
  I32EnumAttrCase<"Tanh", 4, "tanh">]>;
def Tandem_ActivationAttr
    : EnumAttr<Tandem_Dialect, Tandem_Activation, "activation"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tandem_KvPart : Tandem_Enum<"KvPart", "which half of the KV cache", [
  I32EnumAttrCase<"Key", 0, "key">, I32EnumAttrCase<"Value", 1, "value">]>;
def Tandem_KvPartAttr : EnumAttr<Tandem_Dialect, Tandem_KvPart, "part">;

def Tandem_StorageClass : Tandem_Enum<"StorageClass", "how long a buffer lives", [
  I32EnumAttrCase<"Constant", 0, "constant">,
  I32EnumAttrCase<"Transient", 1, "transient">,
  I32EnumAttrCase<"External", 2, "external">]>;
def Tandem_StorageAttr
    : EnumAttr<Tandem_Dialect, Tandem_StorageClass, "storage"> {
  let summary = "a memref's memory space";
  let description = [{
    `constant`: a parameter, laid out once for all programs. `transient`: an
    activation or scratch, a view of the program's arena. `external`: an input
    or output, bound by the caller before each run. (The fourth class,
    persistent, is the type `!tandem.kv_cache` itself.)
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Tandem_WeightLayout : Tandem_Enum<"WeightLayout", "how a parameter's elements lie", [
  I32EnumAttrCase<"Plain", 0, "plain">,
  I32EnumAttrCase<"ColumnPanels", 1, "column_panels">,
  I32EnumAttrCase<"RowPanels", 2, "row_panels">]>;
def Tandem_WeightLayoutAttr
    : EnumAttr<Tandem_Dialect, Tandem_WeightLayout, "layout">;

def Tandem_Phase : Tandem_Enum<"Phase", "what a program is for", [
  I32EnumAttrCase<"Model", 0, "model">,
  I32EnumAttrCase<"Forward", 1, "forward">,
  I32EnumAttrCase<"Prefill", 2, "prefill">,
  I32EnumAttrCase<"Decode", 3, "decode">,
  I32EnumAttrCase<"Head", 4, "head">]>;

def Tandem_ProgramAttr : AttrDef<Tandem_Dialect, "Program"> {
  let mnemonic = "program";
  let summary = "marks a function as a program, with its phase and positions";
  let description = [{
    Carried by every function as `tandem.program`. `positions` is the largest
    number of tokens a sequence may have; it bounds every `?` in the function.

    Phases: `model`, the description as imported; `forward`, no cache, rows of
    one sequence; `prefill`, rows of one sequence appended to the cache;
    `decode`, one row a sequence; `head`, hidden rows in, logits out.
  }];
  let parameters = (ins EnumParameter<Tandem_Phase>:$phase, "int64_t":$positions);
  let assemblyFormat = "`<` $phase `,` `positions` `=` $positions `>`";
}

//===-- Types -------------------------------------------------------------===//

def Tandem_KvCacheType : TypeDef<Tandem_Dialect, "KvCache"> {
  let mnemonic = "kv_cache";
  let summary = "the keys and values of every layer, in blocks of positions";
  let description = [{
    Memory of shape `[blocks, layers, 2, heads, block, head_size]`, where
    `blocks` is the runtime's affair: a sequence's block table maps
    `position / block` to a block. `positions` is the number of positions a
    sequence may have. Two programs of a module share one cache, so their
    cache types must be equal.
  }];
  let parameters = (ins "int64_t":$layers, "int64_t":$heads,
      "int64_t":$headSize, "int64_t":$block, "int64_t":$positions,
      "::mlir::Type":$elementType);
  let assemblyFormat = [{
    `<` `layers` `=` $layers `,` `heads` `=` $heads `,` `head_size` `=` $headSize
    `,` `block` `=` $block `,` `positions` `=` $positions `,` $elementType `>`
  }];
  let genVerifyDecl = 1;
}

class Tandem_QuantizedType<string name, string typeMnemonic>
    : TypeDef<Tandem_Dialect, name, [MemRefElementTypeInterface]> {
  let mnemonic = typeMnemonic;
}

def Tandem_QInt8Type : Tandem_QuantizedType<"QInt8", "qint8"> {
  let summary = "a number of a matrix: a whole one, times its channel's scale";
  let description = [{
    `scale * q`, q in -127 to 127, scale the largest magnitude of the channel
    over 127. A channel is an output feature of a weight, or a row of
    activations. The scales, f32, lie behind the matrix.
  }];
}

def Tandem_QInt4Type : Tandem_QuantizedType<"QInt4", "qint4"> {
  let summary = "a number of a weight: a whole one, times its group's step and channel's scale";
  let description = [{
    `scale * step * q`, q in -8 to 7, step a whole number in 0 to 15 for every
    32 elements of a channel: step * q fits eight bits, so that such a weight
    multiplies `qint8` activations exactly.
  }];
}

#endif
