#pragma once

#include "passes/PassReport.h"
#include "passes/Stage.h"
#include "passes/TargetInfo.h"
#include "support/Precision.h"
#include "support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace tandem {

/// The passes behind a stage by their names, in the pipeline's order: all of
/// them, and those that may be left out.
std::vector<std::string> passNames(Stage from = Stage::Imported);
std::vector<std::string> optimisationNames(Stage from = Stage::Imported);

/// Which programs to derive, by rows.
struct ProgramRows {
  std::vector<int64_t> prefill, decode, head, forward;
};

struct PipelineOptions {
  Stage from = Stage::Imported; // where the module is
  Stage stage = Stage::Planned; // how far to go; typed at most if eager
  ProgramRows rows;
  Precision precision = Precision::F32;
  TargetInfo target;
  std::vector<std::string> disabledPasses; // optimisations to skip
  std::vector<std::string>
      printAfter;      // passes whose result goes to standard error
  bool eager = false;  // nothing is fused: as described, but for the precision
  bool timing = false; // each pass's time and counts go to standard error
};

/// Appends the passes behind `options.from`, up to `options.stage`, each
/// followed by a check of what is illegal after it; what they do goes to
/// `report`, which must outlive `manager`. Fails for a pass name that does not
/// exist there, or that cannot be skipped.
Result<void> buildPipeline(mlir::PassManager &manager,
                           const PipelineOptions &options, PassReport &report);

/// The passes that run with `options`, in order.
std::vector<std::string> passesOf(const PipelineOptions &options);

/// Takes a module on from the stage that it is at, whatever `options.from` is,
/// and writes down in it where it is then (`tandem.stage`, and once planned
/// `tandem.threads`). Fails for a module that is further than `options.stage`.
/// The first diagnostic becomes the error's message.
Result<void> runPipeline(mlir::ModuleOp module, const PipelineOptions &options);

/// Runs the pipeline a pass at a time, without the checks between; `after` is
/// called with the name of each, on the module as the pass has left it, and
/// returns whether to go on.
Result<void> runPassByPass(mlir::ModuleOp module,
                           const PipelineOptions &options,
                           llvm::function_ref<bool(llvm::StringRef)> after);

} // namespace tandem
