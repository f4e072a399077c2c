#include "backend/PackConstants.h"
#include "backend/lowering/Target.h"
#include "frontend/SourceHash.h"
#include "tools/ArtifactModule.h"
#include "tools/Commands.h"
#include "tools/CompilePlan.h"
#include "tools/CompilerOptions.h"
#include "tools/OptionValues.h"
#include "tools/OutputFile.h"
#include "tools/PlanFor.h"
#include "tools/PrepareModel.h"

#include <algorithm>
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

/// Rows of the programs of one kind.
std::vector<int64_t> rowsOf(const Executable &executable, ProgramKind kind) {
  std::vector<int64_t> rows;
  for (const Program &program : executable.programs)
    if (program.kind == kind)
      rows.push_back(program.rows);
  return rows;
}

PipelineRecord recordOf(const CompiledPlan &plan) {
  const Executable &executable = plan.executable;
  auto decode = rowsOf(executable, ProgramKind::Decode);
  return {.passes = passesOf(plan.built.pipeline),
          .disabledPasses = plan.built.pipeline.disabledPasses,
          .buckets = rowsOf(executable, ProgramKind::Prefill),
          .context = executable.model.positions,
          .batch = decode.empty() ? 1 : std::ranges::max(decode),
          .threads = executable.numThreads};
}

Result<ArtifactOrigin> originOf(const CompiledPlan &plan,
                                const std::filesystem::path &model) {
  auto hash = sourceHash(filesOf(model));
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
                                    const std::filesystem::path &model) {
  ArtifactContents contents;
  contents.executable = plan.executable;
  auto origin = originOf(plan, model);
  if (!origin)
    return std::unexpected(origin.error());
  contents.origin = std::move(*origin);
  auto generation = findGenerationConfig(plan.built.folders);
  if (!generation)
    return std::unexpected(generation.error());
  contents.generation = *generation;
  auto tokenizer = findTokenizer(plan.built.folders);
  if (!tokenizer)
    return std::unexpected(tokenizer.error());
  contents.tokenizer = std::move(*tokenizer);
  return contents;
}

Result<void> compileTo(const std::filesystem::path &output,
                       const ModelOptions &options) {
  ProgramUse use = {.cached = true, .uncached = true, .everyRow = true};
  auto plan = compilePlan(options, use);
  if (!plan)
    return std::unexpected(plan.error());
  const Result<WeightStore> &weights = plan->built.weights;
  if (!weights)
    return std::unexpected(weights.error());
  auto contents = contentsOf(*plan, options.model);
  if (!contents)
    return std::unexpected(contents.error());
  (*plan->built.module)->removeAttr(weightsAttrName); // a folder of here
  std::string module = moduleSection(*plan->built.module);
  contents->module = std::as_bytes(std::span(module));
  MemoryTracker memory(options.memoryLimit);
  return writeArtifact(output, *contents, [&](const ByteSink &sink) {
    return streamConstants(plan->executable, *weights, memory,
                           plan->executable.numThreads, sink);
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
