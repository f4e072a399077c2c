#ifndef TANDEM_INTERFACES_TD
#define TANDEM_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Tandem_ComputeOpInterface : OpInterface<"ComputeOpInterface"> {
  let cppNamespace = "::tandem";
  let description = [{
    An op that computes arrays. With tensors it has results; with memrefs it has
    as many destinations instead, in the same order, and no result.
  }];
  let methods = [
    InterfaceMethod<"The buffers this op writes; empty while values are tensors.",
                    "::mlir::OperandRange", "getDestinations">
  ];
}

#endif
