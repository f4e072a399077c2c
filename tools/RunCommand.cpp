#include "tools/RunCommand.h"

#include "runtime/TextStream.h"
#include "tools/OptionValues.h"

#include <unistd.h>

namespace tandem {

void addRunOptions(CLI::App &app, RunOptions &options) {
  addValue(app, "-n", options.numTokens, "N", "new tokens at the most [100]")
      ->check(wholeNumber(0));
  addFlag(app, "--ignore-eos", options.ignoreEos,
          "go on past the token that ends a text");
  addTextOptions(app, options.input, "prompt");
  addIdsOption(app, options.input);
  addSamplingOptions(app, options.sampling);
  addKvCacheOption(app, options.model);
  addThreadsOption(app, options.model);
  addMemoryLimitOption(app, options.model);
  addJsonOption(app, options.model);
}

namespace {

/// The text of a token after those before it; U+FFFD for an id that the
/// tokenizer, smaller than the model, does not know.
std::string textAfter(TextStream &stream, int32_t token) {
  auto text = stream.push(token);
  return text ? *text : stream.flush() + "\uFFFD";
}

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

std::vector<int64_t> stopTokens(const Model &model, bool ignoreEos) {
  if (ignoreEos)
    return {};
  return model.generation.eosTokens.value_or(model.executable->model.eosTokens);
}

/// The new tokens' text; a token that ends the text is not part of it.
std::string textOf(const Model &model, const Generation &generation) {
  std::span<const int32_t> ids = generation.ids;
  if (generation.finish == Finish::Stop)
    ids = ids.first(ids.size() - 1);
  TextStream stream(*model.tokenizer);
  std::string text;
  for (int32_t id : ids)
    text += textAfter(stream, id);
  return text + stream.flush();
}

Result<int> printDocument(const Model &model, const Session &session,
                          std::span<const int32_t> prompt,
                          const Generation &generation) {
  Json text = nullptr;
  if (model.tokenizer)
    text = textOf(model, generation);
  bool isPlanned = model.executable->programs.front().planned;
  Json document = {
      {"prompt_ids", std::vector<int32_t>(prompt.begin(), prompt.end())},
      {"ids", generation.ids},
      {"text", text},
      {"finish", name(generation.finish)},
      {"prefill_ms", generation.prefillMs},
      {"decode_tokens_per_s", generation.decodeTokensPerSecond()},
      {"compile_ms", model.compileMs},
      {"peak_bytes", session.peakBytes()},
      {"planned_bytes",
       isPlanned ? Json(session.plannedBytes()) : Json(nullptr)}};
  return print(document);
}

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

GenerationOptions generationOptions(const RunOptions &options,
                                    const Model &model) {
  GenerationOptions generation;
  generation.numTokens = options.numTokens;
  generation.sampling = samplingOptions(model.generation, options.sampling);
  generation.stopTokens = stopTokens(model, options.ignoreEos);
  generation.useKvCache = options.model.kvCache;
  return generation;
}

/// A line for each setting of the model's author that would give other text.
void warnOfUnapplied(const GenerationDefaults &defaults, bool greedy,
                     const std::filesystem::path &model) {
  std::error_code ignored;
  auto file = std::filesystem::is_directory(model, ignored)
                  ? model / "generation_config.json"
                  : model;
  for (const UnappliedSetting &setting : defaults.unapplied)
    if (!(greedy && setting.onlySampled))
      fmt::print(stderr, "warning: {}: {}: got {}, not applied\n",
                 file.string(), setting.key, setting.value);
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
    return printDocument(model, session, prompt, *result);
  Result<int> status =
      printer ? printer->finish()
              : print(fmt::format("{}\n", fmt::join(result->ids, ",")));
  printSummary(*result, prompt.size());
  return status;
}

} // namespace

Result<int> runModel(const RunOptions &options, const PrepareModel &prepare) {
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
  bool greedy = samplingOptions(model->generation, options.sampling).greedy;
  warnOfUnapplied(model->generation, greedy, options.model.model);
  return runPrompt(options, *model, **session, *prompt);
}

} // namespace tandem
