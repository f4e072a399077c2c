#ifndef TANDEM_OP_BASE_TD
#define TANDEM_OP_BASE_TD

// What ops are made of: operand types and base classes.

include "ir/TandemDialect.td"
include "ir/TandemInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===-- Operand types -----------------------------------------------------===//

def Tandem_Floats : AnyTypeOf<[RankedTensorOf<[F32]>, StridedMemRefRankOf<[F32], [0, 1, 2, 3, 4, 5]>],
                              "f32 tensor or memref">;
// What a matrix product multiplies, and tables of rows: narrow, too.
def Tandem_Factors : AnyTypeOf<[RankedTensorOf<[F32, BF16, Tandem_QInt8Type]>,
                                StridedMemRefRankOf<[F32, BF16, Tandem_QInt8Type], [2]>],
                               "f32, bf16 or qint8 tensor or memref">;
def Tandem_Weights
    : AnyTypeOf<[RankedTensorOf<[F32, BF16, Tandem_QInt8Type, Tandem_QInt4Type]>,
                 StridedMemRefRankOf<[F32, BF16, Tandem_QInt8Type, Tandem_QInt4Type], [0, 1, 2, 3, 4, 5]>],
                "f32, bf16, qint8 or qint4 tensor or memref">;
def Tandem_Ids : AnyTypeOf<[RankedTensorOf<[I32]>, MemRefRankOf<[I32], [1, 2]>],
                           "i32 tensor or memref">;
def Tandem_Out : StridedMemRefRankOf<[F32], [0, 1, 2, 3, 4, 5]>;
def Tandem_NarrowOut : MemRefRankOf<[BF16, Tandem_QInt8Type], [2]>;
def Tandem_Scratch : MemRefRankOf<[I8], [1]>;

//===-- Base classes ------------------------------------------------------===//

class Tandem_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tandem_Dialect, mnemonic, traits>;

/// An op that computes arrays: results as tensors, or destinations `into`
/// which it writes as memrefs. Its shape rule is inferReturnTypes;
/// `elementType` makes the type of the elements from `context` and `adaptor`.
class Tandem_ComputeOp<string mnemonic, list<Trait> traits = [],
                       string elementType = "::mlir::Float32Type::get(context)">
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
      return inferTensors(}] # elementType # [{, inferShapes(location, adaptor),
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

#endif
