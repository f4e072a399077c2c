#pragma once

#include "frontend/SafetensorsWriter.h"
#include "support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <filesystem>
#include <vector>

namespace tandem {

/// True for a .mlir file.
bool isMlirFile(const std::filesystem::path &path);

/// Reads a model from MLIR: a forward graph that a person wrote, or a module
/// that was dumped at any stage. It has parsed and verified, and each of its
/// functions is one block of ops that some stage has; an error names line and
/// column.
///
/// A lone function without `tandem.program` is taken for the model. Its
/// positions are then the rows of the smallest table that the second argument
/// looks up; where there is none, it must say them. Arguments of a model that
/// have no `tandem.name` are its tokens and positions, in this order.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
readMlirModel(mlir::MLIRContext &context, const std::filesystem::path &file);

/// Where the weights of NAME.mlir are: NAME.safetensors beside it; or else its
/// folder, where that has weights in Hugging Face layout; or else what the
/// module's `tandem.weights` says, from that folder on.
Result<std::filesystem::path> findWeights(mlir::ModuleOp module,
                                          const std::filesystem::path &file);

/// The parameters that a store must hold for a module, in order: all that it
/// declares but those that are made of others.
std::vector<TensorShape> parametersOf(mlir::ModuleOp module);

} // namespace tandem
