#include "frontend/RandomCheckpoint.h"

#include "frontend/Gpt2Parameters.h"
#include "frontend/JsonFields.h"
#include "frontend/RandomNormal.h"
#include "support/FileWriter.h"

#include <algorithm>
#include <array>

namespace tandem {

namespace {

struct KnownModel {
  std::string_view name;
  int64_t embed, layers, heads;
};

constexpr std::array<KnownModel, 5> knownModels{{
    {"gpt2", 768, 12, 12},
    {"gpt2-medium", 1024, 24, 16},
    {"gpt2-large", 1280, 36, 20},
    {"gpt2-xl", 1600, 48, 25},
    {"distilgpt2", 768, 6, 12},
}};

constexpr int64_t pieceElements = int64_t{1} << 20; // even, see fillNormal
constexpr float deviation = 0.02f;

} // namespace

std::optional<ModelConfig> knownModelConfig(std::string_view name) {
  for (const KnownModel &model : knownModels)
    if (model.name == name) {
      ModelConfig config;
      config.embed = model.embed;
      config.layers = model.layers;
      config.heads = model.heads;
      config.inner = 4 * model.embed;
      return config;
    }
  return std::nullopt;
}

std::vector<std::string> knownModelNames() {
  std::vector<std::string> names;
  for (const KnownModel &model : knownModels)
    names.emplace_back(model.name);
  return names;
}

/// The spelling that readModelConfig gives back as `activation`.
static std::string_view huggingFaceName(Activation activation) {
  switch (activation) {
  case Activation::GeluTanh:
    return "gelu_new";
  case Activation::GeluErf:
    return "gelu";
  case Activation::Relu:
  case Activation::Silu:
  case Activation::Tanh:
    break;
  }
  return name(activation);
}

static std::string configText(const ModelConfig &config) {
  nlohmann::ordered_json json{
      {"model_type", "gpt2"},
      {"architectures", {"GPT2LMHeadModel"}},
      {"vocab_size", config.vocabSize},
      {"n_positions", config.positions},
      {"n_ctx", config.positions},
      {"n_embd", config.embed},
      {"n_layer", config.layers},
      {"n_head", config.heads},
      {"n_inner", config.inner},
      {"activation_function", huggingFaceName(config.activation)},
      {"layer_norm_epsilon", config.layerNormEpsilon},
      {"scale_attn_weights", config.scaleAttentionWeights},
      {"scale_attn_by_inverse_layer_idx", config.scaleByInverseLayerIndex},
      {"tie_word_embeddings", config.tieWordEmbeddings},
      {"bos_token_id", nullptr},
      {"eos_token_id", config.eosTokens},
      {"torch_dtype", "float32"}};
  if (config.bosToken)
    json["bos_token_id"] = *config.bosToken;
  if (config.eosTokens.size() == 1)
    json["eos_token_id"] = config.eosTokens.front();
  return json.dump(2) + "\n";
}

/// One tensor's values, a piece at a time.
static Result<void> writeValues(SafetensorsWriter &writer,
                                const TensorShape &tensor, uint64_t stream,
                                std::vector<float> &piece) {
  bool isMatrix = tensor.shape.size() == 2;
  float constant = tensor.name.ends_with(".weight") ? 1 : 0;
  int64_t count = tensor.numElements();
  for (int64_t first = 0; first < count; first += pieceElements) {
    piece.resize(static_cast<size_t>(std::min(pieceElements, count - first)));
    if (isMatrix)
      fillNormal(stream, first, deviation, piece);
    else
      std::ranges::fill(piece, constant);
    if (auto written = writer.append(piece); !written)
      return written;
  }
  return {};
}

static Result<void> writeWeights(const std::filesystem::path &path,
                                 const ModelConfig &config, uint64_t seed) {
  auto tensors = gpt2Parameters(config);
  for (TensorShape &tensor : tensors)
    if (tensor.name != "lm_head.weight")
      tensor.name = "transformer." + tensor.name;
  auto writer = SafetensorsWriter::create(path, tensors);
  if (!writer)
    return std::unexpected(writer.error());
  std::vector<float> piece;
  for (size_t i = 0; i < tensors.size(); ++i) {
    uint64_t stream = mixBits(mixBits(seed) + i);
    if (auto written = writeValues(*writer, tensors[i], stream, piece);
        !written)
      return written;
  }
  return writer->finish();
}

static Result<void> writeConfig(const std::filesystem::path &path,
                                const ModelConfig &config) {
  auto file = FileWriter::create(path);
  if (!file)
    return std::unexpected(file.error());
  if (auto written = file->write(configText(config)); !written)
    return written;
  return file->commit();
}

/// What a writer that was killed has left behind does not count.
static Result<void> checkEmpty(const std::filesystem::path &folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error)
    return failure("{}: cannot look into this folder: {}", folder.string(),
                   error.message());
  for (const auto &entry : entries)
    if (!FileWriter::isLeftover(entry.path()))
      return failure("{}: got a folder with files in it, expected an empty or "
                     "a new one",
                     folder.string());
  return {};
}

Result<void> writeRandomCheckpoint(const ModelConfig &config,
                                   const std::filesystem::path &folder,
                                   uint64_t seed) {
  std::error_code error;
  bool created = std::filesystem::create_directories(folder, error);
  if (error)
    return failure("{}: cannot make this folder: {}", folder.string(),
                   error.message());
  if (auto checked = checkEmpty(folder); !checked)
    return checked;
  auto weightsPath = folder / "model.safetensors";
  auto written = writeWeights(weightsPath, config, seed);
  if (written)
    written = writeConfig(folder / "config.json", config);
  if (!written) {
    std::filesystem::remove(weightsPath, error);
    if (created)
      std::filesystem::remove(folder, error);
  }
  return written;
}

Result<void> writeRandomCheckpoint(std::string_view name,
                                   const std::filesystem::path &folder,
                                   uint64_t seed) {
  if (auto config = knownModelConfig(name))
    return writeRandomCheckpoint(*config, folder, seed);
  return failure("init: got model {}, expected one of {}",
                 shown(std::string(name)), fmt::join(knownModelNames(), ", "));
}

} // namespace tandem
