#pragma once

#include "tools/Command.h"

namespace tandem {

/// One function a subcommand: adds it, with its options, to the tool.
void addCompileCommand(Tool &tool);
void addDumpCommand(Tool &tool);
void addRunCommand(Tool &tool);
void addEvalCommand(Tool &tool);
void addTokenizeCommands(Tool &tool);
void addBenchCommand(Tool &tool);
void addVerifyCommand(Tool &tool);
void addInitCommand(Tool &tool);
void addInfoCommand(Tool &tool);

/// The model that ships with the project.
std::filesystem::path defaultModel();

} // namespace tandem
