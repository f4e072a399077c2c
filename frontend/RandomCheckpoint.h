#pragma once

#include "frontend/ModelConfig.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The sizes of gpt2, gpt2-medium, gpt2-large, gpt2-xl or distilgpt2; nothing
/// for another name.
std::optional<ModelConfig> knownModelConfig(std::string_view name);

std::vector<std::string> knownModelNames();

/// Writes config.json and model.safetensors (float32) of a known model into
/// `folder`, which must be empty or not exist. Matrices are normal with
/// deviation 0.02, biases 0, the weights of layer norms 1; the same seed gives
/// the same file. Holds a few MB at a time. Each file has its name only once it
/// is complete, config.json last; on failure neither is left behind.
Result<void> writeRandomCheckpoint(std::string_view name,
                                   const std::filesystem::path &folder,
                                   uint64_t seed);

/// The same for any configuration.
Result<void> writeRandomCheckpoint(const ModelConfig &config,
                                   const std::filesystem::path &folder,
                                   uint64_t seed);

} // namespace tandem
