#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tandem {

/// Positions a block of the KV cache.
inline constexpr int64_t kvBlockSize = 32;

/// One shape a result or destination.
using Shapes = llvm::SmallVector<llvm::SmallVector<int64_t>, 1>;

/// The name of the attribute that makes a function a program.
inline constexpr llvm::StringLiteral programAttrName = "tandem.program";

/// The name of the attribute that names an argument or result of a program:
/// tokens, positions, sequences, block_tables, valid, cache, hidden, logits,
/// and, once memory is planned, arena.
inline constexpr llvm::StringLiteral argumentNameAttrName = "tandem.name";

/// What a module may say of itself. The stage it is at, by its name: written by
/// the pipeline.
inline constexpr llvm::StringLiteral stageAttrName = "tandem.stage";
/// Where its weights are: a folder or a safetensors file.
inline constexpr llvm::StringLiteral weightsAttrName = "tandem.weights";
/// The most threads that a planned module has scratch for; absent: 1.
inline constexpr llvm::StringLiteral threadsAttrName = "tandem.threads";
/// The tokens that end a text.
inline constexpr llvm::StringLiteral eosTokensAttrName = "tandem.eos_tokens";

/// Result types of a compute op from its shapes: tensors, or none where the op
/// writes destinations. Fails where `shapes` has.
mlir::LogicalResult inferTensors(mlir::Type elementType,
                                 mlir::FailureOr<Shapes> shapes,
                                 mlir::ValueRange destinations,
                                 llvm::SmallVectorImpl<mlir::Type> &types);

/// Infers the result types of an op that has a shape rule anew, once its
/// operands or attributes have changed, and sets them. Any other op stays as it
/// is. Fails, with an error on the op, where its operands do not fit.
mlir::LogicalResult updateResultTypes(mlir::Operation *op);

/// Checks that a compute op has either results or destinations, and that
/// destinations have the inferred shapes.
mlir::LogicalResult verifyDestinations(mlir::Operation *op,
                                       mlir::ValueRange destinations,
                                       mlir::FailureOr<Shapes> shapes);

/// A compute op on tensors has no effect; on memrefs it writes its
/// destinations and scratch, and reads its other operands.
void addBufferEffects(
    mlir::Operation *op, mlir::OperandRange destinations,
    llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

} // namespace tandem

#include "ir/TandemInterfaces.h.inc"

#include "ir/TandemDialect.h.inc"

#include "ir/TandemEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/TandemAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/TandemTypes.h.inc"

#define GET_OP_CLASSES
#include "ir/TandemOps.h.inc"

namespace tandem {

/// Creates an op with one inferred result and returns that.
template <typename Op, typename... Args>
mlir::Value create(mlir::OpBuilder &builder, mlir::Location location,
                   Args &&...args) {
  return builder.create<Op>(location, std::forward<Args>(args)...)
      ->getResult(0);
}

/// The program attribute of a function, or null.
inline ProgramAttr getProgram(mlir::func::FuncOp function) {
  return function->getAttrOfType<ProgramAttr>(programAttrName);
}

} // namespace tandem
