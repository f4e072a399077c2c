#include "frontend/CheckpointFiles.h"

#include "frontend/JsonFields.h"

#include <algorithm>
#include <map>
#include <set>

namespace tandem {

namespace {

constexpr const char *singleFileName = "model.safetensors",
                     *indexFileName = "model.safetensors.index.json";

/// Shard file -> the tensors that the index expects in it.
using ShardIndex = std::map<std::string, std::set<std::string>>;

} // namespace

/// A shard lies beside its index; a path that leads elsewhere is refused.
static bool isPlainFileName(std::string_view name) {
  return !name.empty() && std::ranges::none_of(name, [](unsigned char byte) {
    return byte == '/' || byte < ' ';
  });
}

static Result<ShardIndex> readIndex(const std::filesystem::path &path) {
  auto json = readJsonObject(path);
  if (!json)
    return std::unexpected(json.error());
  auto weightMap = json->find("weight_map");
  if (weightMap == json->end() || !weightMap->is_object())
    return failure("{}: weight_map: got {}, expected an object of tensor names "
                   "and files",
                   path.string(),
                   weightMap == json->end() ? "none" : shown(*weightMap));
  ShardIndex index;
  for (const auto &[tensor, shard] : weightMap->items()) {
    if (!shard.is_string() || !isPlainFileName(shard.get<std::string>()))
      return failure("{}: tensor {}: got {}, expected the name of a file in "
                     "the same folder",
                     path.string(), shown(tensor), shown(shard));
    index[shard.get<std::string>()].insert(tensor);
  }
  return index;
}

/// That a shard holds what the index says, no more and no less.
static Result<void> checkShard(const SafetensorsFile &shard,
                               const std::set<std::string> &expected,
                               const std::filesystem::path &indexPath) {
  for (const std::string &tensor : expected)
    if (!shard.entries().contains(tensor))
      return failure("{}: tensor {}: got none in {}, expected it there",
                     indexPath.string(), shown(tensor), shard.path().string());
  for (const auto &[tensor, entry] : shard.entries())
    if (!expected.contains(tensor))
      return failure("{}: tensor {}: got it in this shard, expected only what "
                     "{} lists for it",
                     shard.path().string(), shown(tensor), indexPath.string());
  return {};
}

static Result<std::vector<SafetensorsFile>>
openShards(const std::filesystem::path &indexPath) {
  auto index = readIndex(indexPath);
  if (!index)
    return std::unexpected(index.error());
  std::vector<SafetensorsFile> shards;
  for (const auto &[fileName, tensors] : *index) {
    auto shard = SafetensorsFile::open(indexPath.parent_path() / fileName);
    if (!shard)
      return std::unexpected(shard.error());
    if (auto matches = checkShard(*shard, tensors, indexPath); !matches)
      return std::unexpected(matches.error());
    shards.push_back(std::move(*shard));
  }
  return shards;
}

Result<void> checkModelFolder(const std::filesystem::path &folder) {
  std::error_code ignored;
  auto status = std::filesystem::status(folder, ignored);
  if (std::filesystem::is_directory(status))
    return {};
  return failure(
      "{}: got {}, expected a model folder, a .mlir file or a .tandem file",
      folder.string(),
      std::filesystem::exists(status) ? "a file" : "no such folder or file");
}

std::vector<std::filesystem::path>
modelFiles(const std::filesystem::path &folder) {
  std::vector<std::filesystem::path> files;
  for (const char *name :
       {"config.json", "generation_config.json", "vocab.json", "merges.txt",
        "added_tokens.json", singleFileName, indexFileName})
    files.push_back(folder / name);
  std::error_code ignored;
  if (std::filesystem::exists(folder / indexFileName, ignored))
    if (auto index = readIndex(folder / indexFileName))
      for (const auto &[shard, tensors] : *index)
        files.push_back(folder / shard);
  return files;
}

static Result<std::vector<SafetensorsFile>>
openSingle(const std::filesystem::path &path) {
  auto file = SafetensorsFile::open(path);
  if (!file)
    return std::unexpected(file.error());
  std::vector<SafetensorsFile> files;
  files.push_back(std::move(*file));
  return files;
}

bool hasWeightFiles(const std::filesystem::path &folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / singleFileName, ignored) ||
         std::filesystem::exists(folder / indexFileName, ignored);
}

Result<std::vector<SafetensorsFile>>
openWeightFiles(const std::filesystem::path &source) {
  std::error_code ignored;
  if (source.extension() == ".safetensors" &&
      !std::filesystem::is_directory(source, ignored))
    return openSingle(source);
  if (std::filesystem::exists(source / singleFileName, ignored))
    return openSingle(source / singleFileName);
  if (std::filesystem::exists(source / indexFileName, ignored))
    return openShards(source / indexFileName);
  bool pickled =
      std::filesystem::exists(source / "pytorch_model.bin", ignored) ||
      std::filesystem::exists(source / "pytorch_model.bin.index.json", ignored);
  return failure("{}: got {}, expected {} or {}", source.string(),
                 pickled ? "only pickled weights" : "no weights",
                 singleFileName, indexFileName);
}

} // namespace tandem
