#include "runtime/Model.h"

#include "runtime/Artifact.h"

#include <chrono>

namespace tandem {

Result<Model> loadModel(const std::filesystem::path &path,
                        std::optional<int64_t> memoryLimit) {
  auto start = std::chrono::steady_clock::now();
  auto artifact = readArtifact(path);
  if (!artifact)
    return std::unexpected(artifact.error());
  Model model;
  model.memory = std::make_shared<MemoryTracker>(memoryLimit);
  auto constants =
      Buffer::adopt(*model.memory, artifact->file, artifact->constantsOffset,
                    artifact->executable.constantBytes, "weights");
  if (!constants)
    return failure("{}: {}", path.string(), constants.error().message);
  model.constants = std::move(*constants);
  model.generation = artifact->generation;
  model.tokenizer = std::move(artifact->tokenizer);
  model.executable =
      std::make_shared<Executable>(std::move(artifact->executable));
  model.compileMs = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  return model;
}

} // namespace tandem
