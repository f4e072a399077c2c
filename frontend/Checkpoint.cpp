#include "frontend/Checkpoint.h"

#include "frontend/CheckpointFiles.h"
#include "frontend/Gpt2Parameters.h"
#include "frontend/JsonFields.h"

#include <algorithm>

namespace tandem {

namespace {

/// Where a tensor is: the file and the name it has in there.
struct Source {
  const SafetensorsFile *file;
  std::string name;
};

/// By canonical name.
using Sources = std::map<std::string, Source>;

} // namespace

static std::string canonicalName(const std::string &name) {
  constexpr std::string_view prefix = "transformer.";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

/// h.N.attn.bias and h.N.attn.masked_bias: the causal mask and its minus
/// infinity, which the graph states itself.
static bool isMaskBuffer(std::string_view name) {
  if (!name.starts_with("h."))
    return false;
  name.remove_prefix(2);
  size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  std::string_view rest = name.substr(digits);
  return digits > 0 && (rest == ".attn.bias" || rest == ".attn.masked_bias");
}

static Result<Sources> collect(const std::vector<SafetensorsFile> &files) {
  Sources sources;
  for (const SafetensorsFile &file : files)
    for (const auto &[name, entry] : file.entries()) {
      std::string canonical = canonicalName(name);
      if (isMaskBuffer(canonical))
        continue;
      auto [other, isNew] = sources.try_emplace(canonical, Source{&file, name});
      if (!isNew)
        return failure("{}: tensor {}: got it again as {} in {}, expected it "
                       "once",
                       file.path().string(), shown(name),
                       shown(other->second.name),
                       other->second.file->path().string());
    }
  return sources;
}

static Result<TensorView> load(const TensorShape &parameter,
                               const Sources &sources,
                               const std::filesystem::path &folder) {
  auto source = sources.find(parameter.name);
  if (source == sources.end())
    return failure("{}: tensor {}: got none, expected shape [{}]",
                   folder.string(), shown(parameter.name),
                   fmt::join(parameter.shape, ", "));
  const auto &[file, name] = source->second;
  auto view = file->tensor(name);
  if (view && view->shape != parameter.shape)
    return failure("{}: tensor {}: got shape [{}], expected [{}]",
                   file->path().string(), shown(name),
                   fmt::join(view->shape, ", "),
                   fmt::join(parameter.shape, ", "));
  return view;
}

/// That nothing is left over which the model would silently do without.
static Result<void> checkUnused(const Sources &sources,
                                const WeightStore &weights,
                                const ModelConfig &config) {
  for (const auto &[canonical, source] : sources) {
    bool tiedHead = config.tieWordEmbeddings && canonical == "lm_head.weight";
    if (!tiedHead && !weights.tensors.contains(canonical))
      return failure("{}: tensor {}: got a name that has no place in a GPT-2 "
                     "of {} layers, expected only its weights",
                     source.file->path().string(), shown(source.name),
                     config.layers);
  }
  return {};
}

Result<WeightStore> loadWeights(const std::filesystem::path &folder,
                                const ModelConfig &config) {
  auto files = openWeightFiles(folder);
  if (!files)
    return std::unexpected(files.error());
  auto sources = collect(*files);
  if (!sources)
    return std::unexpected(sources.error());
  WeightStore weights;
  for (const TensorShape &parameter : gpt2Parameters(config)) {
    auto view = load(parameter, *sources, folder);
    if (!view)
      return std::unexpected(view.error());
    weights.tensors.emplace(parameter.name, std::move(*view));
  }
  if (auto done = checkUnused(*sources, weights, config); !done)
    return std::unexpected(done.error());
  for (const SafetensorsFile &file : *files)
    weights.files.push_back(file.mapping());
  return weights;
}

Result<Checkpoint> openCheckpoint(const std::filesystem::path &folder) {
  if (auto checked = checkModelFolder(folder); !checked)
    return std::unexpected(checked.error());
  auto config = readModelConfig(folder / "config.json");
  if (!config)
    return std::unexpected(config.error());
  auto weights = loadWeights(folder, *config);
  if (!weights)
    return std::unexpected(weights.error());
  return Checkpoint{std::move(*config), std::move(*weights)};
}

} // namespace tandem
