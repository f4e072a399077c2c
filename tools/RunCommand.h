#pragma once

#include "tools/Command.h"

namespace tandem {

struct RunOptions {
  ModelOptions model;
  InputOptions input;
  SamplingOverrides sampling;
  int64_t numTokens = 100;
  bool ignoreEos = false;
};

/// The options of `run` that need no compiler.
void addRunOptions(CLI::App &app, RunOptions &options);

/// Generates and prints: the text as it grows, or one JSON document.
Result<int> runModel(const RunOptions &options, const PrepareModel &prepare);

} // namespace tandem
