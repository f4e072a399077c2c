#pragma once

#include "backend/Buffer.h"
#include "backend/Executable.h"
#include "runtime/Tokenizer.h"
#include "support/GenerationDefaults.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace tandem {

/// A model ready to start a session with: compiled in memory, or loaded from
/// an artifact.
struct Model {
  std::shared_ptr<const Executable> executable;
  std::shared_ptr<MemoryTracker> memory; // counts `constants` and the session
  Buffer constants;
  std::optional<Tokenizer> tokenizer;
  GenerationDefaults generation;
  double compileMs = 0; // from its start until nothing is left to pack
};

/// Maps an artifact; every checksum is verified. `memoryLimit` as for a
/// session.
Result<Model> loadModel(const std::filesystem::path &artifact,
                        std::optional<int64_t> memoryLimit);

} // namespace tandem
