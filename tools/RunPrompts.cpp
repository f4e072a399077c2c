#include "tools/RunPrompts.h"

#include "runtime/GenerateEach.h"
#include "tools/GenerationDocument.h"
#include "tools/Lines.h"

namespace tandem {

namespace {

using Prompts = std::vector<std::vector<int32_t>>;

Result<std::vector<int32_t>> encodeLine(const RunOptions &options,
                                        const Model &model,
                                        const std::string &line) {
  if (!model.tokenizer)
    return parseIds(line);
  return model.tokenizer->encode(line, !options.input.noSpecial);
}

Result<void> checkPrompt(std::span<const int32_t> prompt,
                         const Session &session) {
  auto length = static_cast<int64_t>(prompt.size());
  if (length > session.positions())
    return failure("got {} tokens, expected at most {}", length,
                   session.positions());
  for (int64_t i = 0; i < length; ++i)
    if (prompt[i] >= session.vocabSize())
      return failure("token {}: got id {}, expected 0 to {}", i, prompt[i],
                     session.vocabSize() - 1);
  return {};
}

/// The lines as the model takes them; errors name file and line.
Result<Prompts> encodePrompts(const RunOptions &options, const Model &model,
                              const Session &session,
                              const std::vector<std::string> &lines) {
  Prompts prompts;
  for (const std::string &line : lines) {
    auto prompt = encodeLine(options, model, line);
    Result<void> checked;
    if (prompt)
      checked = checkPrompt(*prompt, session);
    if (!prompt || !checked)
      return failure("{}: line {}: {}", options.prompts->string(),
                     prompts.size() + 1,
                     (prompt ? checked.error() : prompt.error()).message);
    prompts.push_back(std::move(*prompt));
  }
  return prompts;
}

Result<int> printGeneration(const RunOptions &options, const Model &model,
                            const Session &session,
                            std::span<const int32_t> prompt, size_t line,
                            const Generation &generation) {
  if (options.model.json)
    return print(generationDocument(model, session, prompt, generation));
  if (generation.finish == Finish::Context)
    fmt::print(stderr, "line {}: stopped: the context is full\n", line);
  if (!model.tokenizer)
    return print(fmt::format("{}\n", fmt::join(generation.ids, ",")));
  return print(fmt::format("{}==> line {} <==\n{}\n", line > 1 ? "\n" : "",
                           line, textOf(*model.tokenizer, generation)));
}

} // namespace

Result<int> runPrompts(const RunOptions &options, const PrepareModel &prepare) {
  auto lines = readLines(*options.prompts);
  if (!lines)
    return std::unexpected(lines.error());
  ModelOptions modelOptions = options.model;
  modelOptions.batch = std::min<int64_t>(options.batch, std::ssize(*lines));
  ProgramUse use;
  use.cached = options.model.kvCache;
  use.uncached = !options.model.kvCache;
  std::optional<Progress> progress("compiling");
  auto model = prepare(modelOptions, use);
  if (!model)
    return std::unexpected(model.error());
  auto session = startSession(*model, modelOptions, use);
  if (!session)
    return std::unexpected(session.error());
  auto prompts = encodePrompts(options, *model, **session, *lines);
  if (!prompts)
    return std::unexpected(prompts.error());
  progress.reset();
  warnOfUnapplied(options, *model);
  auto take = [&](size_t i, const Generation &generation) -> Result<void> {
    auto printed = printGeneration(options, *model, **session, (*prompts)[i],
                                   i + 1, generation);
    if (!printed)
      return std::unexpected(printed.error());
    return {};
  };
  auto ran = generateEach(**session, *prompts,
                          generationOptions(options, *model), take);
  if (!ran)
    return std::unexpected(ran.error());
  return 0;
}

} // namespace tandem
