#include "tools/BisectModel.h"

#include "tools/BuildModule.h"

namespace tandem {

/// A stored tensor in float64.
static mlir::FailureOr<Array> findWeight(const WeightStore &store,
                                         llvm::StringRef name) {
  auto found = store.tensors.find(name.str());
  if (found == store.tensors.end())
    return mlir::failure();
  std::vector<float> elements(found->second.numElements());
  convertToFloat(found->second, elements.data());
  return Array(found->second.shape, {elements.begin(), elements.end()});
}

Result<BisectReport>
bisectModel(const ModelOptions &options,
            const std::function<void(const std::string &)> &progress) {
  ProgramUse use = {.cached = true, .uncached = true};
  auto built = buildModule(options, use, Stage::Imported);
  if (!built)
    return std::unexpected(built.error());
  if (!built->weights)
    return std::unexpected(built->weights.error());
  const WeightStore &store = *built->weights;
  BisectReport report;
  progress("imported");
  auto fault = bisect(
      *built->module,
      pipelineOptions(options, use, Stage::Planned, built->positions),
      [&](llvm::StringRef name) { return findWeight(store, name); },
      [&](const Bisection::PassCheck &check) {
        report.checks.push_back(check);
        progress(check.pass);
      });
  if (!fault)
    return std::unexpected(fault.error());
  report.fault = *fault;
  return report;
}

} // namespace tandem
