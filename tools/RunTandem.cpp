#include "tools/Commands.h"
#include "tools/CompilerOptions.h"
#include "tools/PlanFor.h"
#include "tools/PrepareModel.h"
#include "tools/RunCommand.h"

namespace tandem {

std::filesystem::path defaultModel() { return TANDEM_DEFAULT_MODEL; }

void addRunCommand(Tool &tool) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *command =
      tool.add("run", "generates text", withPlanFor(options->model, [options] {
                 return runModel(*options, prepareModel);
               }));
  addModelArgument(*command, options->model, defaultModel());
  addRunOptions(*command, *options);
  addModeOption(*command, options->model);
  addCompilerOptions(*command, options->model);
}

} // namespace tandem
