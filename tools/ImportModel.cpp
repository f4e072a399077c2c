#include "tools/ImportModel.h"

#include "frontend/Checkpoint.h"
#include "frontend/CheckpointFiles.h"
#include "frontend/Gpt2Graph.h"
#include "frontend/MlirModel.h"
#include "ir/Tandem.h"

#include <algorithm>

namespace tandem {

static std::unique_ptr<mlir::MLIRContext> makeContext() {
  return std::make_unique<mlir::MLIRContext>(
      mlir::MLIRContext::Threading::DISABLED);
}

static void stateWeights(mlir::ModuleOp module,
                         const std::filesystem::path &weights) {
  auto path = std::filesystem::absolute(weights).lexically_normal();
  module->setAttr(weightsAttrName,
                  mlir::StringAttr::get(module.getContext(), path.string()));
}

static Result<ModuleInProgress>
importFolder(const std::filesystem::path &folder) {
  auto checkpoint = openCheckpoint(folder);
  if (!checkpoint)
    return std::unexpected(checkpoint.error());
  ModuleInProgress result;
  result.context = makeContext();
  result.module = buildGpt2Forward(*result.context, checkpoint->config);
  result.weights = std::move(checkpoint->weights);
  result.folders = {folder};
  stateWeights(*result.module, folder);
  return result;
}

static Result<ModuleInProgress> importFile(const std::filesystem::path &file) {
  ModuleInProgress result;
  result.context = makeContext();
  auto module = readMlirModel(*result.context, file);
  if (!module)
    return std::unexpected(module.error());
  result.module = std::move(*module);
  result.folders = {std::filesystem::absolute(file).parent_path()};
  auto weights = findWeights(*result.module, file);
  if (!weights) {
    result.weights = std::unexpected(weights.error());
    return result;
  }
  stateWeights(*result.module, *weights);
  result.weights = loadWeights(*weights, parametersOf(*result.module));
  std::error_code ignored;
  result.folders.push_back(std::filesystem::is_directory(*weights, ignored)
                               ? *weights
                               : weights->parent_path());
  return result;
}

Result<ModuleInProgress> importModel(const std::filesystem::path &model) {
  return isMlirFile(model) ? importFile(model) : importFolder(model);
}

std::vector<std::filesystem::path> filesOf(const std::filesystem::path &model) {
  if (!isMlirFile(model))
    return modelFiles(model);
  auto beside = model;
  std::vector<std::filesystem::path> files = {
      model, beside.replace_extension(".safetensors")};
  std::ranges::copy(modelFiles(model.parent_path()), std::back_inserter(files));
  auto imported = importModel(model);
  if (!imported) // then no more than these is read
    return files;
  if (auto weights = (*imported->module)
                         ->getAttrOfType<mlir::StringAttr>(weightsAttrName)) {
    std::filesystem::path path = weights.str();
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      std::ranges::copy(modelFiles(path), std::back_inserter(files));
    else
      files.push_back(path);
  }
  return files;
}

std::string modelName(const std::filesystem::path &model) {
  auto path = std::filesystem::absolute(model).lexically_normal();
  if (isMlirFile(path))
    return path.stem().string();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

} // namespace tandem
