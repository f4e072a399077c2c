// Compiles GPT-2 and runs it.

#include "tools/Commands.h"

int main(int argc, char **argv) {
  tandem::Tool tool("tandem",
                    "Compiles GPT-2 and runs it. See docs/ for a tour.");
  tool.commandLine().require_subcommand(0, 1);
  tandem::addCompileCommand(tool);
  tandem::addDumpCommand(tool);
  tandem::addRunCommand(tool);
  tandem::addEvalCommand(tool);
  tandem::addTokenizeCommands(tool);
  tandem::addBenchCommand(tool);
  tandem::addVerifyCommand(tool);
  tandem::addInitCommand(tool);
  tandem::addInfoCommand(tool);
  return tool.run(argc, argv);
}
