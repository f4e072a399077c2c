#pragma once

#include "passes/Pipeline.h"
#include "passes/proof/OpNames.h"
#include "support/Result.h"
#include "support/WeightStore.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <filesystem>
#include <vector>

namespace tandem {

/// A model's module, on its way through the stages, and what else it brought.
struct ModuleInProgress {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Of its parameters; or why there are none, which only matters to who needs
  /// them.
  Result<WeightStore> weights;
  /// Where the model's other files may be, the nearest first.
  std::vector<std::filesystem::path> folders;
  int64_t positions = 1;    // of a sequence; 1 where programs are derived
  PipelineOptions pipeline; // that it went through
  std::optional<TracedGraph> tracedGraph; // as imported, if ops have names
};

/// Reads a Hugging Face folder, at stage `imported`, or a .mlir file, at the
/// stage that it is at. The module says where its weights are, if there are
/// any (`tandem.weights`).
Result<ModuleInProgress> importModel(const std::filesystem::path &model);

/// Every file that such a model is read from, or would be if it were there.
std::vector<std::filesystem::path> filesOf(const std::filesystem::path &model);

/// What to call a model: its folder, or its file without the extension.
std::string modelName(const std::filesystem::path &model);

} // namespace tandem
