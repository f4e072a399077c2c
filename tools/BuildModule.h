#pragma once

#include "frontend/Checkpoint.h"
#include "ir/Tandem.h"
#include "passes/Pipeline.h"
#include "passes/proof/OpNames.h"
#include "tools/Options.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace tandem {

/// A checkpoint's module on its way through the stages.
struct ModuleInProgress {
  std::unique_ptr<mlir::MLIRContext> context;
  Checkpoint checkpoint;
  int64_t positions = 0;    // of a sequence: the model's, or --context
  PipelineOptions pipeline; // that it went through
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<TracedGraph> tracedGraph; // as imported, if ops have names
};

/// The rows of every program that `use` needs. Eager programs without a cache
/// take any number of rows, those with one decode a row at a time.
ProgramRows programRows(const ModelOptions &options, const ProgramUse &use,
                        int64_t positions);

/// What `options` and `use` ask of the pipeline.
PipelineOptions pipelineOptions(const ModelOptions &options,
                                const ProgramUse &use, Stage stage,
                                int64_t positions);

/// Imports a Hugging Face folder and runs the pipeline up to `stage`.
Result<ModuleInProgress> buildModule(const ModelOptions &options,
                                     const ProgramUse &use, Stage stage);

/// What a configuration says about a model, named after its folder; sequences
/// have `positions` at the most.
ModelSummary summarize(const ModelConfig &config, int64_t positions,
                       const std::filesystem::path &folder);

} // namespace tandem
