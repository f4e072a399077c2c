#include "tools/RunCommand.h"

#include "runtime/TextStream.h"

#include <unistd.h>

namespace tandem {

void addRunOptions(CLI::App &app, RunOptions &options) {
  app.add_option("-n", options.numTokens, "new tokens at the most [100]")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40, "0 or more"))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_flag("--ignore-eos", options.ignoreEos,
               "go on past the token that ends a text")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  addTextOptions(app, options.input, "prompt");
  addIdsOption(app, options.input);
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

  void push(int32_t token) {
    if (auto text = stream.push(token))
      put(*text);
  }
  void finish() { put(stream.flush() + "\n"); }

private:
  void put(const std::string &text) {
    if (status)
      status = print(text);
  }

  TextStream stream;

public:
  Result<int> status = 0;
};

std::vector<int64_t> stopTokens(const Model &model, bool ignoreEos) {
  if (ignoreEos)
    return {};
  return model.generation.eosTokens.value_or(model.executable->model.eosTokens);
}

/// The new tokens' text; a token that ends the text is not part of it.
Result<std::string> textOf(const Model &model, const Generation &generation) {
  std::span<const int32_t> ids = generation.ids;
  if (generation.finish == Finish::Stop)
    ids = ids.first(ids.size() - 1);
  return decodeText(*model.tokenizer, ids);
}

Result<int> printDocument(const Model &model, const Session &session,
                          std::span<const int32_t> prompt,
                          const Generation &generation) {
  Json text = nullptr;
  if (model.tokenizer) {
    auto decoded = textOf(model, generation);
    if (!decoded)
      return std::unexpected(decoded.error());
    text = *decoded;
  }
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

} // namespace

Result<int> runModel(const RunOptions &options, const PrepareModel &prepare) {
  ProgramUse use;
  use.cached = options.model.kvCache;
  use.uncached = !options.model.kvCache;
  std::optional<Progress> progress("compiling");
  auto model = prepare(options.model, use);
  if (!model)
    return std::unexpected(model.error());
  auto prompt = readTokens(options.input,
                           model->tokenizer ? &*model->tokenizer : nullptr);
  if (!prompt)
    return std::unexpected(prompt.error());
  if (prompt->empty())
    return failure("prompt: got no tokens, expected 1 or more");
  auto session = startSession(*model, options.model, use);
  if (!session)
    return std::unexpected(session.error());
  progress.reset();

  GenerationOptions generation;
  generation.numTokens = options.numTokens;
  generation.sampling = samplingOptions(model->generation, options.sampling);
  generation.stopTokens = stopTokens(*model, options.ignoreEos);
  generation.useKvCache = options.model.kvCache;
  std::optional<TextPrinter> printer;
  if (model->tokenizer && !options.model.json)
    printer.emplace(*model->tokenizer);
  auto isStop = [&](int32_t token) {
    return std::ranges::count(generation.stopTokens, token) > 0;
  };
  auto result = generate(**session, *prompt, generation, [&](int32_t token) {
    if (printer && !isStop(token))
      printer->push(token);
  });
  if (!result)
    return std::unexpected(result.error());
  if (options.model.json)
    return printDocument(*model, **session, *prompt, *result);
  if (printer) {
    printer->finish();
    printSummary(*result, prompt->size());
    return printer->status;
  }
  printSummary(*result, prompt->size());
  return print(fmt::format("{}\n", fmt::join(result->ids, ",")));
}

} // namespace tandem
