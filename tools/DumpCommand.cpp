#include "tools/BuildModule.h"
#include "tools/Commands.h"
#include "tools/CompilerOptions.h"
#include "tools/OptionValues.h"
#include "tools/PrepareModel.h"

#include "llvm/Support/raw_ostream.h"

namespace tandem {

namespace {

struct DumpOptions {
  ModelOptions model;
  std::string stage = "planned", function = "all";
};

std::vector<std::string> stageList() {
  std::vector<std::string> names;
  for (const StageName &stage : stageNames())
    names.push_back(stage.name.str());
  return names;
}

Stage parseStage(llvm::StringRef name) {
  return llvm::find_if(
             stageNames(),
             [&](const StageName &stage) { return stage.name == name; })
      ->stage;
}

/// Leaves the functions of one phase, and the parameters that they read.
void keepOnly(mlir::ModuleOp module, Phase phase) {
  for (auto function :
       llvm::make_early_inc_range(module.getOps<mlir::func::FuncOp>()))
    if (getProgram(function).getPhase() != phase)
      function.erase();
  for (auto parameter :
       llvm::make_early_inc_range(module.getOps<ParameterOp>()))
    if (mlir::SymbolTable::symbolKnownUseEmpty(parameter, module))
      parameter.erase();
}

Result<void> checkOptions(const DumpOptions &options) {
  bool isThere = options.function == "forward" || options.function == "all" ||
                 parseStage(options.stage) != Stage::Imported;
  if (!isThere)
    return failure("--function: got '{}', expected forward: at stage imported "
                   "there is no other",
                   options.function);
  return {};
}

Result<int> dumpModel(const DumpOptions &options) {
  Stage stage = parseStage(options.stage);
  if (isArtifact(options.model.model))
    return failure("{}: got an artifact, expected a model folder: an "
                   "artifact keeps no IR",
                   options.model.model.string());
  ProgramUse use = {.cached = true, .uncached = true, .everyRow = true};
  ModelOptions compiled = options.model;
  compiled.mode = Mode::Compiled;
  auto built = buildModule(compiled, use, stage);
  if (!built)
    return std::unexpected(built.error());
  if (options.function != "all" && stage != Stage::Imported)
    keepOnly(*built->module, *symbolizePhase(options.function));
  std::string text;
  llvm::raw_string_ostream stream(text);
  built->module->print(stream);
  return print(text);
}

} // namespace

void addDumpCommand(Tool &tool) {
  auto options = std::make_shared<DumpOptions>();
  CLI::App *command = tool.add(
      "dump", "prints the IR at a stage",
      [options] { return dumpModel(*options); },
      [options] { return checkOptions(*options); });
  addModelArgument(*command, options->model, defaultModel());
  addChoice(*command, "--stage", "how far to compile [planned]", stageList(),
            [options](const std::string &stage) { options->stage = stage; });
  addChoice(*command, "--function",
            "which programs [all]; at stage imported there is only forward",
            {"forward", "prefill", "decode", "head", "all"},
            [options](const std::string &name) { options->function = name; });
  addThreadsOption(*command, options->model);
  addBatchOption(*command, options->model);
  addCompilerOptions(*command, options->model);
}

} // namespace tandem
