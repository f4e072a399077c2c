#include "tools/dump/ModuleDiff.h"
#include "tools/dump/TypeText.h"

#include "mlir/IR/BuiltinOps.h"

namespace tandem {

namespace {

using Functions = std::vector<mlir::func::FuncOp>;

Functions functionsOf(mlir::ModuleOp module) {
  Functions functions;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  return functions;
}

bool isModel(const Functions &functions) {
  if (functions.size() != 1)
    return false;
  ProgramAttr program = getProgram(functions.front());
  return program && program.getPhase() == Phase::Model;
}

mlir::func::FuncOp named(const Functions &functions, llvm::StringRef name) {
  auto found = llvm::find_if(functions, [&](mlir::func::FuncOp function) {
    return function.getName() == name;
  });
  return found == functions.end() ? nullptr : *found;
}

std::string layoutText(ParameterOp parameter) {
  return "layout " + stringifyWeightLayout(parameter.getLayout()).str();
}

/// By text, since each module may have a context of its own; "" for no change.
std::string typeChange(ParameterOp was, ParameterOp is) {
  auto before = mlir::cast<mlir::ShapedType>(was.getType());
  auto after = mlir::cast<mlir::ShapedType>(is.getType());
  std::string from = typeText(before), to = typeText(after);
  if (from == to)
    return "";
  if (before.getShape() != after.getShape())
    return from + " -> " + to;
  return typeText(before.getElementType()) + " -> " +
         typeText(after.getElementType());
}

void diffParameters(mlir::ModuleOp before, mlir::ModuleOp after,
                    ModuleDiff &diff) {
  auto note = [&](const std::string &what, ParameterOp parameter) {
    diff.parameters[what].push_back(parameter.getSymName().str());
  };
  for (auto was : before.getOps<ParameterOp>()) {
    auto is = after.lookupSymbol<ParameterOp>(was.getSymName());
    if (!is) {
      note("removed", was);
      continue;
    }
    if (std::string change = typeChange(was, is); !change.empty())
      note(change, is);
    if (was.getLayout() != is.getLayout())
      note(layoutText(was) + " -> " +
               stringifyWeightLayout(is.getLayout()).str(),
           is);
  }
  for (auto is : after.getOps<ParameterOp>())
    if (!before.lookupSymbol(is.getSymName()))
      note("added", is);
}

/// The function that `name` means: of that name, or the phase's first.
Result<mlir::func::FuncOp> find(const Functions &functions,
                                const std::string &name) {
  if (mlir::func::FuncOp function = named(functions, name))
    return function;
  std::string known;
  for (mlir::func::FuncOp function : functions) {
    ProgramAttr program = getProgram(function);
    if (program && stringifyPhase(program.getPhase()) == name)
      return function;
    known += (known.empty() ? "" : ", ") + function.getName().str();
  }
  return failure(
      "--diff: got '{}', expected two stages, two precisions, or two of "
      "{}",
      name, known);
}

} // namespace

ModuleDiff diffModules(mlir::ModuleOp before, mlir::ModuleOp after) {
  Functions was = functionsOf(before), is = functionsOf(after);
  bool fromModel = isModel(was) && !isModel(is);
  bool toModel = isModel(is) && !isModel(was);
  ModuleDiff diff;
  for (mlir::func::FuncOp function : is) {
    auto counterpart = fromModel ? was.front() : named(was, function.getName());
    if (counterpart && !toModel)
      diff.functions.push_back(diffFunctions(counterpart, function));
    else if (!toModel)
      diff.addedFunctions.push_back(function.getName().str());
  }
  for (mlir::func::FuncOp function : was)
    if (toModel)
      diff.functions.push_back(diffFunctions(function, is.front()));
    else if (!fromModel && !named(is, function.getName()))
      diff.removedFunctions.push_back(function.getName().str());
  diffParameters(before, after, diff);
  return diff;
}

Result<ModuleDiff> diffFunctions(mlir::ModuleOp module,
                                 const std::string &before,
                                 const std::string &after) {
  Functions functions = functionsOf(module);
  auto was = find(functions, before);
  if (!was)
    return std::unexpected(was.error());
  auto is = find(functions, after);
  if (!is)
    return std::unexpected(is.error());
  ModuleDiff diff;
  diff.before = before;
  diff.after = after;
  diff.functions.push_back(diffFunctions(*was, *is));
  return diff;
}

} // namespace tandem
