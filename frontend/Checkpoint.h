#pragma once

#include "frontend/ModelConfig.h"
#include "frontend/SafetensorsWriter.h"
#include "support/WeightStore.h"

#include <filesystem>
#include <span>

namespace tandem {

/// A model as it came from disk: what it is, and its weights under the names of
/// gpt2Parameters(), each of the shape stated there, F32, F16 or BF16, mapped.
struct Checkpoint {
  ModelConfig config;
  WeightStore weights;
};

/// Opens a folder in Hugging Face layout: config.json, and model.safetensors or
/// model.safetensors.index.json with its shards.
///
/// Names may have the prefix `transformer.` or not. Set aside are the masks
/// that old checkpoints carry (attn.bias, attn.masked_bias) and, where the
/// embeddings are tied, lm_head.weight. A tensor that is missing, has another
/// shape, comes twice, or has no place in the model is an error.
Result<Checkpoint> openCheckpoint(const std::filesystem::path &folder);

/// The weights alone, for a configuration that is known.
Result<WeightStore> loadWeights(const std::filesystem::path &folder,
                                const ModelConfig &config);

/// The weights that `parameters` name, for a graph that says itself what it
/// needs: from a safetensors file, or a folder as above. A tensor may have the
/// prefix `transformer.` in the file; what is not named is left alone.
Result<WeightStore> loadWeights(const std::filesystem::path &source,
                                std::span<const TensorShape> parameters);

} // namespace tandem
