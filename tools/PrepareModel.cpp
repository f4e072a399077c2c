#include "tools/PrepareModel.h"

#include "backend/PackConstants.h"
#include "frontend/CheckpointFiles.h"
#include "frontend/GenerationConfig.h"
#include "frontend/MlirModel.h"
#include "frontend/TokenizerFiles.h"
#include "runtime/Artifact.h"
#include "tools/Command.h"
#include "tools/CompilePlan.h"

#include <algorithm>
#include <chrono>

namespace tandem {

bool isArtifact(const std::filesystem::path &path) {
  return path.extension() == ".tandem";
}

Result<std::optional<TokenizerData>>
findTokenizer(std::span<const std::filesystem::path> folders) {
  auto found = std::ranges::find_if(folders, hasTokenizer);
  if (found == folders.end())
    return std::nullopt;
  return readTokenizer(*found);
}

Result<GenerationDefaults>
findGenerationConfig(std::span<const std::filesystem::path> folders) {
  auto found = std::ranges::find_if(folders, [](const auto &folder) {
    std::error_code ignored;
    return std::filesystem::exists(folder / "generation_config.json", ignored);
  });
  return found == folders.end() ? GenerationDefaults()
                                : readGenerationConfig(*found);
}

static Result<Tokenizer> createTokenizer(const TokenizerData &data,
                                         const std::filesystem::path &model) {
  auto tokenizer = Tokenizer::create(data);
  if (!tokenizer)
    return failure("{}: {}", model.string(), tokenizer.error().message);
  return tokenizer;
}

/// The packed weights of `executable`, counted in `memory`.
static Result<Buffer> pack(const Executable &executable,
                           const Result<WeightStore> &weights,
                           MemoryTracker &memory) {
  if (!weights)
    return std::unexpected(weights.error());
  auto constants =
      Buffer::allocate(memory, executable.constantBytes, "packed weights");
  if (!constants)
    return constants;
  if (auto packed = packConstants(executable, *weights, constants->data(),
                                  executable.numThreads);
      !packed)
    return std::unexpected(packed.error());
  return constants;
}

static Result<Model> compileModel(const ModelOptions &options,
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
  auto constants = pack(executable, plan->built.weights, *memory);
  if (!constants)
    return std::unexpected(constants.error());
  auto generation = findGenerationConfig(plan->built.folders);
  if (!generation)
    return std::unexpected(generation.error());
  Model model{std::make_shared<Executable>(std::move(executable)), memory,
              std::move(*constants), std::nullopt, *generation};
  model.compileMs = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  auto data = findTokenizer(plan->built.folders);
  if (!data)
    return std::unexpected(data.error());
  if (*data) {
    auto tokenizer = createTokenizer(**data, options.model);
    if (!tokenizer)
      return std::unexpected(tokenizer.error());
    model.tokenizer = std::move(*tokenizer);
  }
  return model;
}

/// The folders that a model's files lie in.
static Result<std::vector<std::filesystem::path>>
foldersOf(const std::filesystem::path &model) {
  if (!isMlirFile(model)) {
    if (auto checked = checkModelFolder(model); !checked)
      return std::unexpected(checked.error());
    return std::vector{model};
  }
  auto imported = importModel(model);
  if (!imported)
    return std::unexpected(imported.error());
  return imported->folders;
}

Result<void> requireNoCompilerOption(const ModelOptions &options) {
  std::pair<bool, const char *> given[] = {
      {options.precision.has_value(), "--precision"},
      {options.context.has_value(), "--context"},
      {options.buckets.has_value(), "--buckets"},
      {!options.disabledPasses.empty(), "--disable-pass"},
      {!options.printAfter.empty(), "--print-after"},
      {options.timing, "--timing"}};
  for (auto [isGiven, option] : given)
    if (isGiven)
      return failure("{}: {}: got it with a compiled model, expected a model "
                     "folder or a .mlir file",
                     options.model.string(), option);
  return {};
}

Result<Model> prepareModel(const ModelOptions &options, const ProgramUse &use) {
  if (!isArtifact(options.model))
    return compileModel(options, use);
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
  auto folders = foldersOf(model);
  if (!folders)
    return std::unexpected(folders.error());
  auto data = findTokenizer(*folders);
  if (!data)
    return std::unexpected(data.error());
  if (!*data)
    return failure("{}: got no tokenizer, expected vocab.json and merges.txt",
                   model.string());
  return createTokenizer(**data, model);
}

} // namespace tandem
