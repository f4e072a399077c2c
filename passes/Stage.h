#pragma once

#include "support/Result.h"

#include "mlir/IR/BuiltinOps.h"

namespace tandem {

/// How far a module has come: each stage is what `dump --stage` prints.
enum class Stage {
  Imported,    // one function of phase `model`, as described
  Specialized, // programs with static rows, the cache's ops in them
  Fused,       // one op where a kernel does the work of several
  Typed,       // every type is final
  LaidOut,     // every parameter has its layout
  Scheduled,   // ops stand in the order in which they run
  Planned,     // every buffer and parameter has a place
};

/// The stages by their names on the command line, in order.
struct StageName {
  Stage stage;
  llvm::StringLiteral name;
};
llvm::ArrayRef<StageName> stageNames();
llvm::StringRef nameOf(Stage stage);

/// The stage a module is at. What it says of itself (`tandem.stage`) must go
/// with what its functions work on. Of one that says nothing: with a function
/// of phase `model`, imported; with buffers, planned; with fused ops or
/// layouts, fused, from where the way on changes nothing that was done already;
/// else specialized.
Result<Stage> stageOf(mlir::ModuleOp module);

} // namespace tandem
