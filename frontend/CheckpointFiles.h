#pragma once

#include "frontend/Safetensors.h"

#include <filesystem>
#include <vector>

namespace tandem {

/// Opens the safetensors files of a folder in Hugging Face layout: the one
/// model.safetensors or else the shards that model.safetensors.index.json
/// lists. Index and shards must name the same tensors. `source` may also be one
/// safetensors file.
Result<std::vector<SafetensorsFile>>
openWeightFiles(const std::filesystem::path &source);

/// Whether a folder has such files.
bool hasWeightFiles(const std::filesystem::path &folder);

/// That `folder` is one.
Result<void> checkModelFolder(const std::filesystem::path &folder);

/// Every file that a model in `folder` is read from, or would be if it were
/// there: description, weights and the shards of their index, tokenizer,
/// sampling.
std::vector<std::filesystem::path>
modelFiles(const std::filesystem::path &folder);

} // namespace tandem
