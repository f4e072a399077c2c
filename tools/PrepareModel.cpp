#include "tools/PrepareModel.h"

#include "backend/PackConstants.h"
#include "frontend/CheckpointFiles.h"
#include "frontend/GenerationConfig.h"
#include "frontend/TokenizerFiles.h"
#include "runtime/Artifact.h"
#include "tools/Command.h"
#include "tools/CompilePlan.h"

#include <chrono>

namespace tandem {

bool isArtifact(const std::filesystem::path &path) {
  return path.extension() == ".tandem";
}

static Result<Model> compileFolder(const ModelOptions &options,
                                   const ProgramUse &use) {
  auto start = std::chrono::steady_clock::now();
  auto plan = compilePlan(options, use);
  if (!plan)
    return std::unexpected(plan.error());
  Executable &executable = plan->executable;
  if (auto fits =
          Session::checkMemoryLimit(executable, sessionOptions(options, use));
      !fits)
    return std::unexpected(fits.error());
  auto memory = std::make_shared<MemoryTracker>(options.memoryLimit);
  auto constants =
      Buffer::allocate(*memory, executable.constantBytes, "packed weights");
  if (!constants)
    return std::unexpected(constants.error());
  if (auto packed = packConstants(executable, plan->built.checkpoint.weights,
                                  constants->data(), executable.numThreads);
      !packed)
    return std::unexpected(packed.error());
  auto generation = readGenerationConfig(options.model);
  if (!generation)
    return std::unexpected(generation.error());
  Model model{std::make_shared<Executable>(std::move(executable)), memory,
              std::move(*constants), std::nullopt, *generation};
  model.compileMs = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  if (hasTokenizer(options.model)) {
    auto tokenizer = openTokenizer(options.model);
    if (!tokenizer)
      return std::unexpected(tokenizer.error());
    model.tokenizer = std::move(*tokenizer);
  }
  return model;
}

Result<void> requireNoCompilerOption(const ModelOptions &options) {
  if (options.context || options.timing || !options.disabledPasses.empty() ||
      !options.printAfter.empty())
    return failure("{}: got a compiled model and a compiler option, expected a "
                   "model folder with it",
                   options.model.string());
  return {};
}

Result<Model> prepareModel(const ModelOptions &options, const ProgramUse &use) {
  if (!isArtifact(options.model))
    return compileFolder(options, use);
  if (auto checked = requireNoCompilerOption(options); !checked)
    return std::unexpected(checked.error());
  if (options.mode == Mode::Eager)
    return failure("{}: --mode: got eager, expected compiled for an artifact",
                   options.model.string());
  return loadModel(options.model, options.memoryLimit);
}

Result<Tokenizer> openTokenizer(const std::filesystem::path &model) {
  if (isArtifact(model)) {
    auto artifact = readArtifact(model);
    if (!artifact)
      return std::unexpected(artifact.error());
    if (!artifact->tokenizer)
      return failure("{}: got no tokenizer, expected one", model.string());
    return std::move(*artifact->tokenizer);
  }
  if (auto checked = checkModelFolder(model); !checked)
    return std::unexpected(checked.error());
  auto data = readTokenizer(model);
  if (!data)
    return std::unexpected(data.error());
  auto tokenizer = Tokenizer::create(*data);
  if (!tokenizer)
    return failure("{}: {}", model.string(), tokenizer.error().message);
  return tokenizer;
}

} // namespace tandem
