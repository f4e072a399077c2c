#include "ir/Parameters.h"
#include "tools/ArtifactModule.h"
#include "tools/BuildModule.h"
#include "tools/Commands.h"
#include "tools/CompilerOptions.h"
#include "tools/OptionValues.h"
#include "tools/PlanFor.h"
#include "tools/PrepareModel.h"
#include "tools/dump/AnnotatedText.h"
#include "tools/dump/DotText.h"
#include "tools/dump/ModuleDiff.h"
#include "tools/dump/ModuleJson.h"

namespace tandem {

namespace {

struct DumpOptions {
  ModelOptions model;
  std::string stage = "planned", function = "all", format = "mlir";
  bool hasStage = false;         // --stage was given
  std::vector<std::string> diff; // none, or two of one kind: see DiffKind
  bool noComments = false;
};

std::vector<std::string> stageList() {
  std::vector<std::string> names;
  for (const StageName &stage : stageNames())
    names.push_back(stage.name.str());
  return names;
}

std::optional<Stage> parseStage(llvm::StringRef name) {
  for (const StageName &stage : stageNames())
    if (stage.name == name)
      return stage.stage;
  return std::nullopt;
}

/// Leaves the functions of one phase, and the parameters that they read or
/// whose parts these are.
void keepOnly(mlir::ModuleOp module, Phase phase) {
  for (auto function :
       llvm::make_early_inc_range(module.getOps<mlir::func::FuncOp>()))
    if (getProgram(function).getPhase() != phase)
      function.erase();
  llvm::DenseSet<mlir::StringAttr> kept = parametersRead(module);
  for (auto parameter : module.getOps<ParameterOp>())
    if (kept.contains(parameter.getSymNameAttr()))
      for (mlir::FlatSymbolRefAttr part : parameter.getPartRefs())
        kept.insert(part.getAttr());
  for (auto parameter :
       llvm::make_early_inc_range(module.getOps<ParameterOp>()))
    if (!kept.contains(parameter.getSymNameAttr()))
      parameter.erase();
}

/// What the two names of a --diff are: any other name is a function's.
enum class DiffKind { Stages, Precisions, Functions };

DiffKind kindOf(const std::string &name) {
  if (parseStage(name))
    return DiffKind::Stages;
  return parsePrecision(name) ? DiffKind::Precisions : DiffKind::Functions;
}

/// Whether what was asked of a --diff goes together.
Result<void> checkDiff(const DumpOptions &options) {
  if (options.diff.size() != 2)
    return failure("--diff: got '{}' alone, expected two stages, functions or "
                   "precisions",
                   options.diff[0]);
  DiffKind kind = kindOf(options.diff[0]);
  if (kind != kindOf(options.diff[1]))
    return failure("--diff: got '{}' and '{}', expected two of the stages {}, "
                   "two of the precisions {}, or two functions",
                   options.diff[0], options.diff[1],
                   fmt::join(stageList(), ", "),
                   fmt::join(precisionNames(), ", "));
  if (kind == DiffKind::Stages && options.hasStage)
    return failure("--diff: got --stage beside it, expected one of the two "
                   "where stages are compared");
  if (kind == DiffKind::Precisions && options.model.precision)
    return failure("--diff: got --precision beside it, expected one of the two "
                   "where precisions are compared");
  if (options.format == "dot")
    return failure("--format: got dot with --diff, expected mlir or json");
  if (options.noComments)
    return failure("--diff: got --no-comments beside it, expected one of the "
                   "two");
  return {};
}

Result<void> checkOptions(const DumpOptions &options) {
  if (!options.diff.empty())
    return checkDiff(options);
  if (options.noComments && options.format != "mlir")
    return failure("--format: got {} with --no-comments, expected mlir",
                   options.format);
  bool isThere = options.function == "forward" || options.function == "all" ||
                 parseStage(options.stage) != Stage::Imported;
  if (!isThere)
    return failure("--function: got '{}', expected forward: at stage imported "
                   "there is no other",
                   options.function);
  return {};
}

/// An artifact keeps the one module that its programs were lowered from.
Result<ModuleInProgress> moduleOfArtifact(const ModelOptions &options,
                                          Stage stage) {
  const std::filesystem::path &path = options.model;
  if (auto checked = requireNoCompilerOption(options); !checked)
    return std::unexpected(checked.error());
  if (stage != Stage::Planned)
    return failure("{}: --stage: got {}, expected planned for an artifact",
                   path.string(), nameOf(stage).str());
  auto artifact = readArtifact(path);
  if (!artifact)
    return std::unexpected(artifact.error());
  ModuleInProgress result;
  result.context = std::make_unique<mlir::MLIRContext>(
      mlir::MLIRContext::Threading::DISABLED);
  auto module = readModule(*artifact, *result.context);
  if (!module)
    return failure("{}: {}", path.string(), module.error().message);
  result.module = std::move(*module);
  return result;
}

Result<ModuleInProgress> compiledTo(const ModelOptions &options, Stage stage) {
  if (isArtifact(options.model))
    return moduleOfArtifact(options, stage);
  ModelOptions compiled = options;
  compiled.mode = Mode::Compiled;
  ProgramUse use = {.cached = true, .uncached = true, .everyRow = true};
  return buildModule(compiled, use, stage);
}

/// The module at a stage, with the functions that --function names.
Result<ModuleInProgress> moduleAt(const DumpOptions &options, Stage stage) {
  auto built = compiledTo(options.model, stage);
  if (built && options.function != "all" && stage != Stage::Imported)
    keepOnly(*built->module, *symbolizePhase(options.function));
  return built;
}

/// The module that a name in --diff stands for, a stage or a precision.
Result<ModuleInProgress> moduleNamed(DumpOptions options,
                                     const std::string &name) {
  if (auto stage = parseStage(name))
    return moduleAt(options, *stage);
  options.model.precision = parsePrecision(name);
  return moduleAt(options, *parseStage(options.stage));
}

Result<ModuleDiff> diffModel(const DumpOptions &options) {
  const std::string &before = options.diff[0], &after = options.diff[1];
  if (kindOf(before) == DiffKind::Functions) {
    auto built = moduleAt(options, *parseStage(options.stage));
    if (!built)
      return std::unexpected(built.error());
    return diffFunctions(*built->module, before, after);
  }
  auto was = moduleNamed(options, before);
  if (!was)
    return std::unexpected(was.error());
  auto is = moduleNamed(options, after);
  if (!is)
    return std::unexpected(is.error());
  ModuleDiff diff = diffModules(*was->module, *is->module);
  diff.before = before;
  diff.after = after;
  return diff;
}

Result<int> printDiff(const DumpOptions &options) {
  auto diff = diffModel(options);
  if (!diff)
    return std::unexpected(diff.error());
  return options.format == "json" ? print(diffJson(*diff))
                                  : print(diffText(*diff));
}

Result<int> dumpModel(const DumpOptions &options) {
  if (!options.diff.empty())
    return printDiff(options);
  auto built = moduleAt(options, *parseStage(options.stage));
  if (!built)
    return std::unexpected(built.error());
  if (options.format == "json")
    return print(moduleJson(*built->module, options.stage));
  if (options.format == "dot")
    return print(dotText(*built->module));
  return print(options.noComments ? plainText(*built->module)
                                  : annotatedText(*built->module));
}

} // namespace

void addDumpCommand(Tool &tool) {
  auto options = std::make_shared<DumpOptions>();
  CLI::App *command = tool.add(
      "dump", "prints the IR at a stage",
      withPlanFor(options->model, [options] { return dumpModel(*options); }),
      [options] { return checkOptions(*options); });
  addModelArgument(*command, options->model, defaultModel());
  addChoice(*command, "--stage", "how far to compile [planned]", stageList(),
            [options](const std::string &stage) {
              options->stage = stage;
              options->hasStage = true;
            });
  addChoice(*command, "--function",
            "which programs [all]; at stage imported there is only forward",
            {"forward", "prefill", "decode", "head", "all"},
            [options](const std::string &name) { options->function = name; });
  addChoice(*command, "--format",
            "mlir, dot for Graphviz, or json [mlir, of a --diff plain text]",
            {"mlir", "dot", "json"},
            [options](const std::string &name) { options->format = name; });
  addValue(*command, "--diff", options->diff, "A B",
           "print what differs between two stages, functions or precisions")
      ->expected(2);
  addFlag(*command, "--no-comments", options->noComments,
          "leave out what each op moves and computes");
  addThreadsOption(*command, options->model);
  addBatchOption(*command, options->model);
  addCompilerOptions(*command, options->model);
}

} // namespace tandem
