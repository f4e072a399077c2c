#pragma once

#include "tools/Command.h"

namespace tandem {

struct RunOptions {
  ModelOptions model;
  InputOptions input;
  std::optional<std::filesystem::path> prompts; // a file with one a line
  int64_t batch = 8; // of the prompts, how many are decoded together
  SamplingOverrides sampling;
  int64_t numTokens = 100;
  bool ignoreEos = false;
};

/// The options of `run` that need no compiler.
void addRunOptions(CLI::App &app, RunOptions &options);

/// How `options` have the model generate.
GenerationOptions generationOptions(const RunOptions &options,
                                    const Model &model);

/// Says on standard error, a line each, which settings of the model's author
/// would give other text and are not applied.
void warnOfUnapplied(const RunOptions &options, const Model &model);

/// Generates and prints: the text as it grows, or one JSON document.
Result<int> runModel(const RunOptions &options, const PrepareModel &prepare);

} // namespace tandem
