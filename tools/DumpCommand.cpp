#include "tools/ArtifactModule.h"
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

Result<int> printModule(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return print(text);
}

/// An artifact keeps the one module that its programs were lowered from.
Result<int> dumpArtifact(const DumpOptions &options) {
  const std::filesystem::path &path = options.model.model;
  if (auto checked = requireNoCompilerOption(options.model); !checked)
    return std::unexpected(checked.error());
  if (options.stage != "planned")
    return failure("{}: --stage: got {}, expected planned for an artifact",
                   path.string(), options.stage);
  auto artifact = readArtifact(path);
  if (!artifact)
    return std::unexpected(artifact.error());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = readModule(*artifact, context);
  if (!module)
    return failure("{}: {}", path.string(), module.error().message);
  if (options.function != "all")
    keepOnly(**module, *symbolizePhase(options.function));
  return printModule(**module);
}

Result<int> dumpModel(const DumpOptions &options) {
  Stage stage = parseStage(options.stage);
  if (isArtifact(options.model.model))
    return dumpArtifact(options);
  ProgramUse use = {.cached = true, .uncached = true, .everyRow = true};
  ModelOptions compiled = options.model;
  compiled.mode = Mode::Compiled;
  auto built = buildModule(compiled, use, stage);
  if (!built)
    return std::unexpected(built.error());
  if (options.function != "all" && stage != Stage::Imported)
    keepOnly(*built->module, *symbolizePhase(options.function));
  return printModule(*built->module);
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
