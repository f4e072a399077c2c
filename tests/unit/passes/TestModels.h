#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>
#include <vector>

namespace tandem {

/// A model as the importer leaves it, small, of testVocabulary tokens and
/// testPositions positions.
struct TestModel {
  std::string name;
  std::function<mlir::OwningOpRef<mlir::ModuleOp>(mlir::MLIRContext &)> build;
};

/// GPT-2s of every kind that a description can ask for, then graphs written by
/// hand, which share neither its names nor its order of ops.
std::vector<TestModel> testModels();

/// Loads what models and passes are made of.
void loadTestDialects(mlir::MLIRContext &context);

} // namespace tandem
