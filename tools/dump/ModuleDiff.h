#pragma once

#include "support/Result.h"
#include "tools/Command.h"
#include "tools/dump/FunctionDiff.h"

namespace tandem {

/// How one module differs from another, or two functions of one.
struct ModuleDiff {
  std::string before, after; // stages or functions, as asked for
  std::vector<FunctionDiff> functions;
  std::vector<std::string> removedFunctions, addedFunctions;
  /// Names of parameters, by what changed: "layout plain -> column_panels".
  std::map<std::string, std::vector<std::string>> parameters;
};

/// Compares functions of one name. The model's one function is compared with
/// each that was derived from it.
ModuleDiff diffModules(mlir::ModuleOp before, mlir::ModuleOp after);

/// Compares two functions of a module, by name or by phase: of a phase, the one
/// with the fewest rows. Fails naming those that there are.
Result<ModuleDiff> diffFunctions(mlir::ModuleOp module,
                                 const std::string &before,
                                 const std::string &after);

/// For people: a table of ops for each function, then the changes, layers and
/// functions that changed in the same way together.
std::string diffText(const ModuleDiff &diff);

/// For programs: its shape is in docs/dump.md.
Json diffJson(const ModuleDiff &diff);

} // namespace tandem
