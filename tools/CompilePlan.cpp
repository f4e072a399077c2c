#include "tools/CompilePlan.h"

#include "backend/lowering/LowerToExecutable.h"

namespace tandem {

Result<CompiledPlan> compilePlan(const ModelOptions &options,
                                 const ProgramUse &use) {
  auto built =
      buildModule(options, use,
                  options.mode == Mode::Eager ? Stage::Typed : Stage::Planned);
  if (!built)
    return std::unexpected(built.error());
  auto executable = lowerToExecutable(*built->module);
  if (!executable)
    return std::unexpected(executable.error());
  executable->model.name = modelName(options.model);
  if (options.mode == Mode::Eager)
    executable->numThreads = planThreads(options);
  return CompiledPlan{std::move(*built), std::move(*executable)};
}

} // namespace tandem
