#pragma once

#include "runtime/Generate.h"
#include "runtime/Model.h"
#include "support/GenerationDefaults.h"
#include "support/Precision.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

enum class Mode { Eager, Compiled };

/// Rows of the prefill programs where nothing else is asked for.
inline const std::vector<int64_t> defaultBuckets = {8, 32, 128, 512};

/// Which model, and how it is to run: the options that mean the same
/// everywhere.
struct ModelOptions {
  std::filesystem::path model;
  Mode mode = Mode::Compiled;
  bool kvCache = true;
  std::optional<Precision> precision; // none: f32, or what MODEL says
  std::optional<int64_t> context, memoryLimit;
  int64_t batch = 1;
  int numThreads = 0;                           // 0: all cores
  std::optional<std::vector<int64_t>> buckets;  // none: defaultBuckets
  std::optional<std::filesystem::path> planFor; // lengths to choose them by
  std::vector<std::string> disabledPasses, printAfter;
  bool timing = false;
  bool json = false;
};

/// What a session is for: which programs it needs.
struct ProgramUse {
  bool cached = true;    // prefill and decode
  bool uncached = false; // forward
  bool everyRow = false; // heads of many rows, for the logits of whole texts
  bool opNames = false;  // every op has a name of its own, to be followed by
};

/// Token ids, or text that becomes some.
struct InputOptions {
  std::optional<std::string> text;
  std::optional<std::filesystem::path> file;
  std::optional<std::string> ids; // "1,2,3"
  bool noSpecial = false;
};

/// What overrides the model's own way of sampling.
struct SamplingOverrides {
  std::optional<double> temperature, topP;
  std::optional<int64_t> topK;
  uint64_t seed = 0;
  bool greedy = false;
};

/// `defaultModel`: what MODEL is when left out; none: it must be given.
void addModelArgument(CLI::App &app, ModelOptions &options,
                      const std::filesystem::path &defaultModel);
void addJsonOption(CLI::App &app, ModelOptions &options);
void addThreadsOption(CLI::App &app, ModelOptions &options);
void addMemoryLimitOption(CLI::App &app, ModelOptions &options);
void addKvCacheOption(CLI::App &app, ModelOptions &options);
void addModeOption(CLI::App &app, ModelOptions &options);
void addBatchOption(CLI::App &app, ModelOptions &options);
CLI::Option *addFileOption(CLI::App &app, const std::string &names,
                           std::optional<std::filesystem::path> &value,
                           const std::string &help);
/// --text (or --prompt) and --file (or --prompt-file), --no-special.
void addTextOptions(CLI::App &app, InputOptions &options,
                    const std::string &textName);
void addIdsOption(CLI::App &app, InputOptions &options);
void addSamplingOptions(CLI::App &app, SamplingOverrides &overrides);

/// Greedy unless the model's author or an option says otherwise.
SamplingOptions samplingOptions(const GenerationDefaults &defaults,
                                const SamplingOverrides &overrides);

/// `--threads`, or as many as there are processors.
int planThreads(const ModelOptions &options);

/// "1,2,3" as ids. Fails naming the entry, and leaves it to the caller to say
/// where the list was.
Result<std::vector<int32_t>> parseIds(const std::string &text);

/// The text that was given: as such, in a file, or on standard input.
Result<std::string> readText(const InputOptions &options);

/// The ids of the text that `options` stand for.
Result<std::vector<int32_t>> readTokens(const InputOptions &options,
                                        const Tokenizer &tokenizer);

/// The ids that `options` stand for, as the model at `path` takes them: text
/// needs a tokenizer of no more tokens than the model has.
Result<std::vector<int32_t>> readTokens(const InputOptions &options,
                                        const Model &model,
                                        const std::filesystem::path &path);

} // namespace tandem
