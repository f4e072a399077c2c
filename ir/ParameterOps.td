#ifndef TANDEM_PARAMETER_OPS_TD
#define TANDEM_PARAMETER_OPS_TD

// Weights: by name in the store, and as values.

include "ir/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

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

#endif
