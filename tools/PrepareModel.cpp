#include "tools/PrepareModel.h"

#include "backend/PackConstants.h"
#include "backend/lowering/LowerToExecutable.h"
#include "frontend/CheckpointFiles.h"
#include "frontend/GenerationConfig.h"
#include "frontend/TokenizerFiles.h"
#include "runtime/Artifact.h"
#include "tools/BuildModule.h"

#include <chrono>

namespace tandem {

bool isArtifact(const std::filesystem::path &path) {
  return path.extension() == ".tandem";
}

static Result<Model> compileFolder(const ModelOptions &options,
                                   const ProgramUse &use) {
  auto start = std::chrono::steady_clock::now();
  auto built = buildModule(options, use,
                           options.mode == Mode::Eager ? Stage::Specialized
                                                       : Stage::Planned);
  if (!built)
    return std::unexpected(built.error());
  auto lowered = lowerToExecutable(*built->module);
  if (!lowered)
    return std::unexpected(lowered.error());
  const ModelConfig &config = built->checkpoint.config;
  lowered->model = summarize(config, built->positions, options.model);
  lowered->numThreads = planThreads(options);
  auto memory = std::make_shared<MemoryTracker>(options.memoryLimit);
  auto constants =
      Buffer::allocate(*memory, lowered->constantBytes, "packed weights");
  if (!constants)
    return std::unexpected(constants.error());
  if (auto packed = packConstants(*lowered, built->checkpoint.weights,
                                  constants->data(), lowered->numThreads);
      !packed)
    return std::unexpected(packed.error());
  auto generation = readGenerationConfig(options.model);
  if (!generation)
    return std::unexpected(generation.error());
  Model model{std::make_shared<Executable>(std::move(*lowered)), memory,
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

Result<Model> prepareModel(const ModelOptions &options, const ProgramUse &use) {
  if (!isArtifact(options.model))
    return compileFolder(options, use);
  if (options.context || options.timing || !options.disabledPasses.empty() ||
      !options.printAfter.empty())
    return failure("{}: got a compiled model and a compiler option, expected a "
                   "model folder with it",
                   options.model.string());
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
    if (!artifact->contents.tokenizer)
      return failure("{}: got no tokenizer, expected one", model.string());
    return Tokenizer::create(*artifact->contents.tokenizer);
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
