#include "backend/PackConstants.h"
#include "backend/lowering/Target.h"
#include "frontend/CheckpointFiles.h"
#include "frontend/GenerationConfig.h"
#include "frontend/SourceHash.h"
#include "frontend/TokenizerFiles.h"
#include "tools/ArtifactModule.h"
#include "tools/Commands.h"
#include "tools/CompilePlan.h"
#include "tools/CompilerOptions.h"
#include "tools/OptionValues.h"
#include "tools/OutputFile.h"
#include "tools/PlanFor.h"
#include "tools/PrepareModel.h"

#include <chrono>

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

PipelineRecord recordOf(const CompiledPlan &plan) {
  const PipelineOptions &pipeline = plan.built.pipeline;
  return {.passes = passesOf(pipeline),
          .disabledPasses = pipeline.disabledPasses,
          .buckets = pipeline.rows.prefill,
          .context = plan.built.positions,
          .batch = pipeline.rows.decode.back(),
          .threads = plan.executable.numThreads};
}

Result<ArtifactOrigin> originOf(const CompiledPlan &plan,
                                const std::filesystem::path &folder) {
  auto hash = sourceHash(modelFiles(folder));
  if (!hash)
    return std::unexpected(hash.error());
  ArtifactOrigin origin;
  origin.source = plan.executable.model.name;
  origin.sourceHash = fmt::format("{:016x}", *hash);
  origin.instructionSets = requiredInstructionSets();
  origin.pipeline = recordOf(plan);
  origin.plannedBytes = Session::plannedBytes(
      plan.executable,
      {.numSequences = origin.pipeline.batch, .withForward = false});
  return origin;
}

/// All but the module, whose bytes somebody has to own.
Result<ArtifactContents> contentsOf(const CompiledPlan &plan,
                                    const std::filesystem::path &folder) {
  ArtifactContents contents;
  contents.executable = plan.executable;
  auto origin = originOf(plan, folder);
  if (!origin)
    return std::unexpected(origin.error());
  contents.origin = std::move(*origin);
  auto generation = readGenerationConfig(folder);
  if (!generation)
    return std::unexpected(generation.error());
  contents.generation = *generation;
  if (hasTokenizer(folder)) {
    auto tokenizer = readTokenizer(folder);
    if (!tokenizer)
      return std::unexpected(tokenizer.error());
    contents.tokenizer = std::move(*tokenizer);
  }
  return contents;
}

Result<void> compileTo(const std::filesystem::path &output,
                       const ModelOptions &options) {
  ProgramUse use = {.cached = true, .uncached = true, .everyRow = true};
  auto plan = compilePlan(options, use);
  if (!plan)
    return std::unexpected(plan.error());
  auto contents = contentsOf(*plan, options.model);
  if (!contents)
    return std::unexpected(contents.error());
  std::string module = moduleSection(*plan->built.module);
  contents->module = std::as_bytes(std::span(module));
  MemoryTracker memory(options.memoryLimit);
  return writeArtifact(output, *contents, [&](const ByteSink &sink) {
    return streamConstants(plan->executable, plan->built.checkpoint.weights,
                           memory, plan->executable.numThreads, sink);
  });
}

Result<int> compileModel(const CompileOptions &options) {
  if (isArtifact(options.model.model))
    return failure("{}: got a compiled model, expected a model folder",
                   options.model.model.string());
  if (auto checked = checkOutput("-o", options.output, options.model.model);
      !checked)
    return std::unexpected(checked.error());
  Progress progress("compiling " + options.model.model.string());
  auto start = std::chrono::steady_clock::now();
  auto compiled = compileTo(options.output, options.model);
  if (!compiled)
    return std::unexpected(compiled.error());
  std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  if (options.model.json)
    return print(Json{{"output", options.output.string()},
                      {"compile_ms", elapsed.count()}});
  return 0;
}

} // namespace

void addCompileCommand(Tool &tool) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App *command = tool.add("compile", "compiles a model to a .tandem file",
                               withPlanFor(options->model, [options] {
                                 return compileModel(*options);
                               }));
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
