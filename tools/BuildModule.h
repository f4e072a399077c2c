#pragma once

#include "ir/Tandem.h"
#include "passes/Pipeline.h"
#include "tools/ImportModel.h"
#include "tools/Options.h"

namespace tandem {

/// The rows of every program that `use` needs. Eager programs without a cache
/// take any number of rows, those with one decode a row at a time.
ProgramRows programRows(const ModelOptions &options, const ProgramUse &use,
                        int64_t positions);

/// What `options` and `use` ask of the pipeline.
PipelineOptions pipelineOptions(const ModelOptions &options,
                                const ProgramUse &use, Stage stage,
                                int64_t positions);

/// Imports a Hugging Face folder or a .mlir file, and runs the pipeline from
/// the stage that it is at up to `stage`. What only a description decides
/// (`use`, --context and the numbers of rows) is settled in a module that is
/// further.
Result<ModuleInProgress> buildModule(const ModelOptions &options,
                                     const ProgramUse &use, Stage stage);

} // namespace tandem
