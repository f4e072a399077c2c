#include "frontend/TokenizerFiles.h"
#include "runtime/Artifact.h"
#include "tools/Commands.h"
#include "tools/CompilerOptions.h"
#include "tools/OptionValues.h"
#include "tools/OutputFile.h"
#include "tools/PrepareModel.h"

namespace tandem {

namespace {

struct CompileOptions {
  ModelOptions model;
  std::filesystem::path output;
};

std::string checkName(const std::string &name) {
  return isArtifact(name)
             ? ""
             : fmt::format("got '{}', expected a name that ends in .tandem",
                           name);
}

Result<int> compileModel(const CompileOptions &options) {
  if (isArtifact(options.model.model))
    return failure("{}: got a compiled model, expected a model folder",
                   options.model.model.string());
  if (auto checked = checkOutput("-o", options.output, options.model.model);
      !checked)
    return std::unexpected(checked.error());
  ProgramUse use = {.cached = true, .uncached = true, .everyRow = true};
  Progress progress("compiling " + options.model.model.string());
  auto model = prepareModel(options.model, use);
  if (!model)
    return std::unexpected(model.error());
  ArtifactContents contents;
  contents.executable = *model->executable;
  contents.generation = model->generation;
  contents.source = model->executable->model.name;
  if (hasTokenizer(options.model.model)) {
    auto tokenizer = readTokenizer(options.model.model);
    if (!tokenizer)
      return std::unexpected(tokenizer.error());
    contents.tokenizer = std::move(*tokenizer);
  }
  auto written =
      writeArtifact(options.output, contents,
                    {model->constants.data(),
                     static_cast<size_t>(model->executable->constantBytes)});
  if (!written)
    return std::unexpected(written.error());
  if (options.model.json)
    return print(Json{{"output", options.output.string()},
                      {"compile_ms", model->compileMs}});
  return 0;
}

} // namespace

void addCompileCommand(Tool &tool) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App *command = tool.add("compile", "compiles a model to a .tandem file",
                               [options] { return compileModel(*options); });
  addModelArgument(*command, options->model, defaultModel());
  addValue(*command, "-o,--output", options->output, "FILE.tandem",
           "the file to write")
      ->check(CLI::Validator(checkName, ""))
      ->required();
  addThreadsOption(*command, options->model);
  addMemoryLimitOption(*command, options->model);
  addBatchOption(*command, options->model);
  addJsonOption(*command, options->model);
  addCompilerOptions(*command, options->model);
}

} // namespace tandem
