#include "frontend/ModelConfig.h"

#include "frontend/JsonFields.h"

#include <array>
#include <string_view>
#include <utility>

namespace tandem {

namespace {

// Bounds far above any GPT-2 and low enough that
// 4 bytes * layers * (4 d^2 + 2 d f) + 4 bytes * (V + P) * d < 2^63.
constexpr int64_t mostTokens = int64_t{1} << 24;
constexpr int64_t mostEmbed = int64_t{1} << 20;
constexpr int64_t mostInner = int64_t{1} << 22;
constexpr int64_t mostLayers = int64_t{1} << 12;

/// Hugging Face's names. `gelu_fast` is the tanh form with its factors in
/// another order; `quick_gelu` is x * sigmoid(1.702 x) and so none of ours.
constexpr std::array<std::pair<std::string_view, Activation>, 9> activations{{
    {"gelu_new", Activation::GeluTanh},
    {"gelu_pytorch_tanh", Activation::GeluTanh},
    {"gelu_fast", Activation::GeluTanh},
    {"gelu", Activation::GeluErf},
    {"gelu_python", Activation::GeluErf},
    {"relu", Activation::Relu},
    {"silu", Activation::Silu},
    {"swish", Activation::Silu},
    {"tanh", Activation::Tanh},
}};

} // namespace

static void readSizes(JsonFields &fields, ModelConfig &config) {
  fields.integer("vocab_size", 1, mostTokens, config.vocabSize);
  fields.integer("n_positions", 1, mostTokens, config.positions);
  fields.integer("n_embd", 1, mostEmbed, config.embed);
  fields.integer("n_layer", 1, mostLayers, config.layers);
  fields.integer("n_head", 1, mostEmbed, config.heads);
  config.inner = 4 * config.embed;
  fields.integerOrNull("n_inner", 1, mostInner, config.inner);
  if (config.embed % config.heads != 0)
    fields.fail("n_embd", std::to_string(config.embed),
                fmt::format("a multiple of n_head, {}", config.heads));
}

static void readActivation(JsonFields &fields, ModelConfig &config) {
  std::string given = "gelu_new";
  fields.string("activation_function", given);
  std::string known;
  for (const auto &[spelling, activation] : activations) {
    if (spelling == given) {
      config.activation = activation;
      return;
    }
    known += (known.empty() ? "" : ", ") + std::string(spelling);
  }
  fields.fail("activation_function", shown(given), "one of " + known);
}

static void readTokens(JsonFields &fields, ModelConfig &config) {
  std::optional<std::vector<int64_t>> bos, eos;
  fields.tokens("bos_token_id", bos);
  fields.tokens("eos_token_id", eos);
  if (bos)
    config.bosToken = bos->empty() ? std::nullopt : std::optional(bos->front());
  if (eos)
    config.eosTokens = *eos;
}

/// Refuses what would compute something else than our graph does.
static void checkFamily(JsonFields &fields) {
  std::string modelType = "gpt2";
  fields.string("model_type", modelType);
  if (modelType != "gpt2")
    fields.fail("model_type", shown(modelType), "\"gpt2\"");
  std::vector<std::string> architectures;
  fields.strings("architectures", architectures);
  for (const std::string &name : architectures)
    if (name != "GPT2LMHeadModel" && name != "GPT2Model")
      fields.fail("architectures", shown(name),
                  "\"GPT2LMHeadModel\" or \"GPT2Model\"");
  fields.absent("quantization_config",
                "none: weights are F32, F16 or BF16 as they are");
  bool crossAttention = false;
  fields.boolean("add_cross_attention", crossAttention);
  if (crossAttention)
    fields.fail("add_cross_attention", "true", "false");
}

Result<ModelConfig> readModelConfig(const std::filesystem::path &path) {
  auto json = readJsonObject(path);
  if (!json)
    return std::unexpected(json.error());
  JsonFields fields(*json, path.string());
  ModelConfig config;
  checkFamily(fields);
  readSizes(fields, config);
  readActivation(fields, config);
  fields.number(
      "layer_norm_epsilon", [](double value) { return value >= 0; },
      "a number of at least 0", config.layerNormEpsilon);
  fields.boolean("scale_attn_weights", config.scaleAttentionWeights);
  fields.boolean("scale_attn_by_inverse_layer_idx",
                 config.scaleByInverseLayerIndex);
  fields.boolean("tie_word_embeddings", config.tieWordEmbeddings);
  readTokens(fields, config);
  if (auto done = fields.finish(); !done)
    return std::unexpected(done.error());
  return config;
}

} // namespace tandem
