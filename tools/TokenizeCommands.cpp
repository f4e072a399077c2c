#include "runtime/TextStream.h"
#include "tools/Commands.h"
#include "tools/PrepareModel.h"

namespace tandem {

namespace {

struct TextOptions {
  ModelOptions model;
  InputOptions input;
};

Result<int> tokenize(const TextOptions &options) {
  auto tokenizer = openTokenizer(options.model.model);
  if (!tokenizer)
    return std::unexpected(tokenizer.error());
  auto ids = readTokens(options.input, *tokenizer);
  if (!ids)
    return std::unexpected(ids.error());
  if (options.model.json)
    return print(Json{{"ids", *ids}});
  return print(fmt::format("{}\n", fmt::join(*ids, ",")));
}

Result<int> detokenize(const TextOptions &options) {
  auto tokenizer = openTokenizer(options.model.model);
  if (!tokenizer)
    return std::unexpected(tokenizer.error());
  InputOptions input = options.input;
  if (!input.ids) { // a list of ids, in a file or on standard input
    auto list = readText(input);
    if (!list)
      return std::unexpected(list.error());
    while (list->ends_with('\n') || list->ends_with('\r'))
      list->pop_back();
    if (list->empty())
      return options.model.json ? print(Json{{"text", ""}})
                                : print(std::string());
    input.ids = *list;
  }
  auto ids = parseIds(*input.ids);
  if (!ids)
    return failure("{}: {}",
                   input.file ? input.file->string() : "standard input",
                   ids.error().message);
  if (options.model.json) {
    auto text = decodeText(*tokenizer, *ids);
    if (!text)
      return std::unexpected(text.error());
    return print(Json{{"text", *text}});
  }
  auto bytes = tokenizer->decode(*ids);
  if (!bytes)
    return std::unexpected(bytes.error());
  return print(*bytes);
}

} // namespace

void addTokenizeCommands(Tool &tool) {
  auto forward = std::make_shared<TextOptions>();
  CLI::App *command = tool.add("tokenize", "token ids of a text",
                               [forward] { return tokenize(*forward); });
  addModelArgument(*command, forward->model, defaultModel());
  addTextOptions(*command, forward->input, "text");
  addJsonOption(*command, forward->model);

  auto backward = std::make_shared<TextOptions>();
  command =
      tool.add("detokenize", "the text of token ids; without --json, its bytes",
               [backward] { return detokenize(*backward); });
  addModelArgument(*command, backward->model, defaultModel());
  addIdsOption(*command, backward->input);
  addFileOption(*command, "--file", backward->input.file,
                "a file that holds them; without either, standard input")
      ->excludes("--ids");
  addJsonOption(*command, backward->model);
}

} // namespace tandem
