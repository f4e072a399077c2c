#include "frontend/Checkpoint.h"

#include "frontend/CheckpointFiles.h"
#include "frontend/Gpt2Parameters.h"
#include "frontend/JsonFields.h"

#include <algorithm>
#include <optional>

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

/// What a tensor's name may begin with.
static const std::string prefix = "transformer.";

static std::string canonicalName(const std::string &name) {
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

/// The tensor at `source`, in the parameter's shape; `where` is what was
/// searched for it.
static Result<TensorView> load(const TensorShape &parameter,
                               std::optional<Source> source,
                               const std::filesystem::path &where) {
  if (!source)
    return failure("{}: tensor {}: got none, expected shape [{}]",
                   where.string(), shown(parameter.name),
                   fmt::join(parameter.shape, ", "));
  const auto &[file, name] = *source;
  auto view = file->tensor(name);
  if (view && view->shape != parameter.shape)
    return failure("{}: tensor {}: got shape [{}], expected [{}]",
                   file->path().string(), shown(name),
                   fmt::join(view->shape, ", "),
                   fmt::join(parameter.shape, ", "));
  return view;
}

/// Loads each of `parameters` from where `find` says that it is.
template <typename Find>
static Result<WeightStore> loadFrom(const std::vector<SafetensorsFile> &files,
                                    const std::filesystem::path &where,
                                    std::span<const TensorShape> parameters,
                                    Find find) {
  WeightStore weights;
  for (const TensorShape &parameter : parameters) {
    auto view = load(parameter, find(parameter.name), where);
    if (!view)
      return std::unexpected(view.error());
    weights.tensors.emplace(parameter.name, std::move(*view));
  }
  for (const SafetensorsFile &file : files)
    weights.files.push_back(file.mapping());
  return weights;
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
  auto find = [&](const std::string &name) -> std::optional<Source> {
    auto found = sources->find(name);
    return found == sources->end() ? std::nullopt
                                   : std::optional(found->second);
  };
  auto weights = loadFrom(*files, folder, gpt2Parameters(config), find);
  if (!weights)
    return weights;
  if (auto done = checkUnused(*sources, *weights, config); !done)
    return std::unexpected(done.error());
  return weights;
}

Result<WeightStore> loadWeights(const std::filesystem::path &source,
                                std::span<const TensorShape> parameters) {
  auto files = openWeightFiles(source);
  if (!files)
    return std::unexpected(files.error());
  auto find = [&](const std::string &name) -> std::optional<Source> {
    for (const std::string &alias : {name, prefix + name})
      for (const SafetensorsFile &file : *files)
        if (file.entries().contains(alias))
          return Source{&file, alias};
    return std::nullopt;
  };
  return loadFrom(*files, source, parameters, find);
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
