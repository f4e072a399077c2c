#pragma once

#include "passes/PassReport.h"
#include "passes/TargetInfo.h"
#include "support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace tandem {

/// How far to go: each stage is what `dump --stage` prints.
enum class Stage { Imported, Specialized, Fused, Planned };

/// The stages by their names on the command line, in order.
struct StageName {
  Stage stage;
  llvm::StringLiteral name;
};
llvm::ArrayRef<StageName> stageNames();

/// The passes by their names, in the pipeline's order: all of them, and those
/// that may be left out.
std::vector<std::string> passNames();
std::vector<std::string> optimisationNames();

/// Which programs to derive, by rows.
struct ProgramRows {
  std::vector<int64_t> prefill, decode, head, forward;
};

struct PipelineOptions {
  Stage stage = Stage::Planned;
  ProgramRows rows;
  TargetInfo target;
  std::vector<std::string> disabledPasses; // optimisations to skip
  std::vector<std::string>
      printAfter;      // passes whose result goes to standard error
  bool timing = false; // each pass's time and counts go to standard error
};

/// Appends the passes up to `options.stage`, each followed by a check of what
/// is illegal after it; what they do goes to `report`, which must outlive
/// `manager`. Fails for a pass name that does not exist, or that cannot be
/// skipped.
Result<void> buildPipeline(mlir::PassManager &manager,
                           const PipelineOptions &options, PassReport &report);

/// The passes that run with `options`, in order.
std::vector<std::string> passesOf(const PipelineOptions &options);

/// Runs the pipeline. The first diagnostic becomes the error's message.
Result<void> runPipeline(mlir::ModuleOp module, const PipelineOptions &options);

/// Runs the pipeline a pass at a time, without the checks between; `after` is
/// called with the name of each, on the module as the pass has left it, and
/// returns whether to go on.
Result<void> runPassByPass(mlir::ModuleOp module,
                           const PipelineOptions &options,
                           llvm::function_ref<bool(llvm::StringRef)> after);

} // namespace tandem
