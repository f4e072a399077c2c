#include "tools/RunCommand.h"

#include "tools/GenerationDocument.h"
#include "tools/OptionValues.h"
#include "tools/RunPrompts.h"

#include <unistd.h>

namespace tandem {

/// `--prompts`, and how many of them grow together.
static void addPromptsOptions(CLI::App &app, RunOptions &options) {
  auto *prompts =
      addValue(app, "--prompts", options.prompts, "FILE",
               "a prompt a line, or token ids as 1,2,3 where the model has no "
               "tokenizer; when one ends, the next takes its place")
          ->check(pathName());
  for (const char *other : {"--prompt", "--prompt-file", "--ids"})
    prompts->excludes(other);
  addValue(app, "--batch", options.batch, "N",
           "of --prompts, how many are decoded together [8]")
      ->needs("--prompts")
      ->check(wholeNumber(1, 8));
}

void addRunOptions(CLI::App &app, RunOptions &options) {
  addValue(app, "-n", options.numTokens, "N", "new tokens at the most [100]")
      ->check(wholeNumber(0));
  addFlag(app, "--ignore-eos", options.ignoreEos,
          "go on past the token that ends a text");
  addTextOptions(app, options.input, "prompt");
  addIdsOption(app, options.input);
  addPromptsOptions(app, options);
  addSamplingOptions(app, options.sampling);
  addKvCacheOption(app, options.model);
  addThreadsOption(app, options.model);
  addMemoryLimitOption(app, options.model);
  addJsonOption(app, options.model);
}

namespace {

/// Prints text while it grows.
class TextPrinter {
public:
  explicit TextPrinter(const Tokenizer &tokenizer) : stream(tokenizer) {}

  void push(int32_t token) { put(textAfter(stream, token)); }
  /// Fails where a part of it could not be printed.
  Result<int> finish() {
    put(stream.flush() + "\n");
    return status;
  }

private:
  void put(const std::string &text) {
    if (status)
      status = print(text);
  }

  TextStream stream;
  Result<int> status = 0;
};

void printSummary(const Generation &generation, size_t numPrompt) {
  if (generation.finish == Finish::Context)
    fmt::print(stderr, "stopped: the context is full\n");
  if (isatty(STDERR_FILENO))
    fmt::print(stderr, "prompt {} tokens in {:.1f} ms; then {:.1f} tokens/s\n",
               numPrompt, generation.prefillMs,
               generation.decodeTokensPerSecond());
}

Result<std::vector<int32_t>> readPrompt(const RunOptions &options,
                                        const Model &model) {
  auto prompt = readTokens(options.input, model, options.model.model);
  if (!prompt)
    return prompt;
  if (prompt->empty())
    return failure("prompt: got no tokens, expected 1 or more");
  int64_t positions = model.executable->model.positions;
  if (static_cast<int64_t>(prompt->size()) > positions)
    return failure("prompt: got {} tokens, expected at most {} ({})",
                   prompt->size(), positions,
                   options.model.context ? "--context"
                                         : "the model's positions");
  return prompt;
}

/// Generates in `session`, and prints.
Result<int> runPrompt(const RunOptions &options, const Model &model,
                      Session &session, std::span<const int32_t> prompt) {
  GenerationOptions generation = generationOptions(options, model);
  std::optional<TextPrinter> printer;
  if (model.tokenizer && !options.model.json)
    printer.emplace(*model.tokenizer);
  auto isStop = [&](int32_t token) {
    return std::ranges::count(generation.stopTokens, token) > 0;
  };
  auto result = generate(session, prompt, generation, [&](int32_t token) {
    if (printer && !isStop(token))
      printer->push(token);
  });
  if (!result)
    return std::unexpected(result.error());
  if (options.model.json)
    return print(generationDocument(model, session, prompt, *result));
  Result<int> status =
      printer ? printer->finish()
              : print(fmt::format("{}\n", fmt::join(result->ids, ",")));
  printSummary(*result, prompt.size());
  return status;
}

} // namespace

GenerationOptions generationOptions(const RunOptions &options,
                                    const Model &model) {
  GenerationOptions generation;
  generation.numTokens = options.numTokens;
  generation.sampling = samplingOptions(model.generation, options.sampling);
  generation.stopTokens = stopTokens(model, options.ignoreEos);
  generation.useKvCache = options.model.kvCache;
  return generation;
}

void warnOfUnapplied(const RunOptions &options, const Model &model) {
  std::error_code ignored;
  const std::filesystem::path &path = options.model.model;
  auto file = std::filesystem::is_directory(path, ignored)
                  ? path / "generation_config.json"
                  : path;
  bool greedy = samplingOptions(model.generation, options.sampling).greedy;
  for (const UnappliedSetting &setting : model.generation.unapplied)
    if (!(greedy && setting.onlySampled))
      fmt::print(stderr, "warning: {}: {}: got {}, not applied\n",
                 file.string(), setting.key, setting.value);
}

Result<int> runModel(const RunOptions &options, const PrepareModel &prepare) {
  if (options.prompts)
    return runPrompts(options, prepare);
  ProgramUse use;
  use.cached = options.model.kvCache;
  use.uncached = !options.model.kvCache;
  std::optional<Progress> progress("compiling");
  auto model = prepare(options.model, use);
  if (!model)
    return std::unexpected(model.error());
  auto prompt = readPrompt(options, *model);
  if (!prompt)
    return std::unexpected(prompt.error());
  auto session = startSession(*model, options.model, use);
  if (!session)
    return std::unexpected(session.error());
  progress.reset();
  warnOfUnapplied(options, *model);
  return runPrompt(options, *model, **session, *prompt);
}

} // namespace tandem
