// Runs a compiled model. Links no compiler.

#include "tools/RunCommand.h"

int main(int argc, char **argv) {
  tandem::Tool tool("tandem-run",
                    "Generates text with a model that `tandem compile` wrote.");
  tandem::RunOptions options;
  tandem::addModelArgument(tool.commandLine(), options.model, {});
  tandem::addRunOptions(tool.commandLine(), options);
  tool.setAction([&] {
    return tandem::runModel(options, [](const tandem::ModelOptions &model,
                                        const tandem::ProgramUse &) {
      return tandem::loadModel(model.model, model.memoryLimit);
    });
  });
  return tool.run(argc, argv);
}
