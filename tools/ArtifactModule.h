#pragma once

#include "runtime/Artifact.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tandem {

/// A module as an artifact's section: MLIR's bytecode.
std::string moduleSection(mlir::ModuleOp module);

/// The planned module in `artifact`, of dialects that this loads into
/// `context`. Fails, without the file's name in front, where there is none.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
readModule(const LoadedArtifact &artifact, mlir::MLIRContext &context);

} // namespace tandem
