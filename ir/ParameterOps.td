#ifndef TANDEM_PARAMETER_OPS_TD
#define TANDEM_PARAMETER_OPS_TD

// Weights: by name in the store, and as values.

include "ir/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Tandem_ParameterOp : Tandem_Op<"parameter",
    [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declares a weight that the module's store holds under this name";
  let description = [{
    The type is the shape as the checkpoint has it, and the element type that
    the weight is kept in: narrow ones lie in panels. `layout` and `offset` are
    given when memory is laid out: where in the constant segment, in bytes, and
    in which order the elements lie.

    One with `parts` is held by no store: it is those parameters, one after
    another along dimension `dim`. They have no parts themselves.

    ```mlir
    tandem.parameter @wte : tensor<50257x768xf32>
    tandem.parameter @head : tensor<50257x768xf32> layout row_panels at 4096
    tandem.parameter @q : tensor<32x32xf32>
    tandem.parameter @k : tensor<32x16xf32>
    tandem.parameter @q_k : tensor<32x48xf32> parts [@q, @k] dim 1
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
      OptionalAttr<FlatSymbolRefArrayAttr>:$parts, OptionalAttr<I64Attr>:$dim,
      DefaultValuedAttr<Tandem_WeightLayoutAttr, "::tandem::WeightLayout::Plain">:$layout,
      OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $sym_name `:` $type (`parts` $parts^ `dim` $dim)? (`layout` `` $layout^)? (`at` $offset^)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Type":$type), [{
      build($_builder, $_state, $_builder.getStringAttr(name),
            ::mlir::TypeAttr::get(type), nullptr, nullptr,
            WeightLayoutAttr::get($_builder.getContext(), WeightLayout::Plain), nullptr);
    }]>,
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Type":$type,
                   "::llvm::ArrayRef<::llvm::StringRef>":$parts, "int64_t":$dim), [{
      build($_builder, $_state, name, type);
      auto refs = ::llvm::map_to_vector(parts, [&](::llvm::StringRef part) -> ::mlir::Attribute {
        return ::mlir::FlatSymbolRefAttr::get($_builder.getContext(), part);
      });
      auto &properties = $_state.getOrAddProperties<Properties>();
      properties.parts = $_builder.getArrayAttr(refs);
      properties.dim = $_builder.getI64IntegerAttr(dim);
    }]>];
  let extraClassDeclaration = [{
    /// The parameters that it is made of; none where the store holds it.
    ::llvm::SmallVector<::mlir::FlatSymbolRefAttr> getPartRefs();
  }];
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
  let results = (outs Tandem_Weights:$result);
  let assemblyFormat = "$parameter attr-dict `:` type($result)";
}

#endif
