#include "tools/BuildModule.h"
#include "tools/Commands.h"
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
  if (options.function != "all") {
    auto phase = stage == Stage::Imported ? Phase::Model
                                          : *symbolizePhase(options.function);
    if (stage == Stage::Imported && options.function != "forward")
      return failure(
          "--function: got '{}', expected forward: at stage imported "
          "there is no other",
          options.function);
    keepOnly(*built->module, phase);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  built->module->print(stream);
  return print(text);
}

} // namespace

void addDumpCommand(Tool &tool) {
  auto options = std::make_shared<DumpOptions>();
  CLI::App *command = tool.add("dump", "prints the IR at a stage",
                               [options] { return dumpModel(*options); });
  addModelArgument(*command, options->model, defaultModel());
  command->add_option("--stage", options->stage, "how far to compile [planned]")
      ->check(CLI::IsMember(stageList()))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  command
      ->add_option("--function", options->function,
                   "forward, prefill, decode, head or all [all]")
      ->check(CLI::IsMember({"forward", "prefill", "decode", "head", "all"}))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  addThreadsOption(*command, options->model);
  addBatchOption(*command, options->model);
  addCompilerOptions(*command, options->model);
}

} // namespace tandem
