#pragma once

#include "support/Activation.h"
#include "support/Result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace tandem {

// The legend of axis names, for shapes that stand beside tensors everywhere:
//   T   rows: the tokens that one call works on
//   d   embed: the width of the residual stream (n_embd)
//   h   heads of an attention layer (n_head)
//   hd  head size, d / h
//   f   inner: the width of the MLP's hidden layer (n_inner)
//   V   vocabulary: how many tokens there are (vocab_size)
//   P   positions: the longest sequence the model was trained for (n_positions)

/// A GPT-2, as its config.json describes it. Keys that are absent have the
/// values that Hugging Face's GPT2Config gives them, which are the ones here.
struct ModelConfig {
  int64_t vocabSize = 50257; // V
  int64_t positions = 1024;  // P
  int64_t embed = 768;       // d
  int64_t layers = 12;       //
  int64_t heads = 12;        // h, divides d
  int64_t inner = 3072;      // f; 4 d where the file has none
  Activation activation = Activation::GeluTanh; // of the MLP
  double layerNormEpsilon = 1e-5;
  bool scaleAttentionWeights = true;     // scores / sqrt(hd)
  bool scaleByInverseLayerIndex = false; // scores / (layer index + 1)
  bool tieWordEmbeddings = true;         // the head is wte, transposed
  std::optional<int64_t> bosToken = 50256;
  std::vector<int64_t> eosTokens = {50256}; // any of them ends a text

  int64_t headSize() const { return embed / heads; } // hd
  bool operator==(const ModelConfig &) const = default;
};

/// Reads a config.json. Sizes are positive and small enough that the bytes of
/// any tensor, and of all of them, fit in 63 bits. Errors name file, key, what
/// was got and what was expected.
Result<ModelConfig> readModelConfig(const std::filesystem::path &path);

} // namespace tandem
