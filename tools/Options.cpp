#include "tools/Options.h"

#include "tools/OptionValues.h"

#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>

namespace tandem {

void addModelArgument(CLI::App &app, ModelOptions &options,
                      const std::filesystem::path &defaultModel) {
  options.model = defaultModel;
  auto *argument = app.add_option(
      "MODEL", options.model,
      defaultModel.empty()
          ? "a compiled .tandem file"
          : "a Hugging Face folder, a .mlir file or a compiled .tandem file; "
            "left out: the default model");
  argument->required(defaultModel.empty())->check(pathName())->type_name("");
  app.footer("\nMODEL may stand before, between or after the options.");
}

void addJsonOption(CLI::App &app, ModelOptions &options) {
  addFlag(app, "--json", options.json,
          "print one JSON document and nothing else");
}

void addThreadsOption(CLI::App &app, ModelOptions &options) {
  addValue(app, "--threads", options.numThreads, "N", "threads [all cores]")
      ->check(wholeNumber(1, 1024));
}

void addMemoryLimitOption(CLI::App &app, ModelOptions &options) {
  addValue(app, "--memory-limit", options.memoryLimit, "BYTES",
           "refuse to take more than this")
      ->check(wholeNumber(1));
}

void addKvCacheOption(CLI::App &app, ModelOptions &options) {
  addChoice(app, "--kv-cache", "keep keys and values of earlier tokens [on]",
            {"on", "off"}, [&options](const std::string &value) {
              options.kvCache = value == "on";
            });
}

void addModeOption(CLI::App &app, ModelOptions &options) {
  addChoice(app, "--mode", "how to run [compiled]", {"eager", "compiled"},
            [&options](const std::string &value) {
              options.mode = value == "eager" ? Mode::Eager : Mode::Compiled;
            });
}

void addBatchOption(CLI::App &app, ModelOptions &options) {
  addValue(app, "--batch", options.batch, "N",
           "sequences of the largest decode program [1]")
      ->check(wholeNumber(1, 8));
}

CLI::Option *addFileOption(CLI::App &app, const std::string &names,
                           std::optional<std::filesystem::path> &value,
                           const std::string &help) {
  return addValue(app, names, value, "FILE", help)->check(pathName());
}

void addTextOptions(CLI::App &app, InputOptions &options,
                    const std::string &textName) {
  addValue(app, "--" + textName, options.text, "TEXT", "the text");
  addFileOption(app, textName == "prompt" ? "--prompt-file" : "--file",
                options.file,
                "a file that holds it; without either, standard input")
      ->excludes("--" + textName);
  addFlag(app, "--no-special", options.noSpecial,
          "special tokens in the text are ordinary text");
}

void addIdsOption(CLI::App &app, InputOptions &options) {
  auto check = [](const std::string &list) {
    auto ids = parseIds(list);
    return ids ? std::string() : ids.error().message;
  };
  auto *ids = addValue(app, "--ids", options.ids, "N,N,..", "token ids")
                  ->check(CLI::Validator(check, ""));
  for (const char *text : {"--text", "--prompt", "--file", "--prompt-file"})
    if (auto *option = app.get_option_no_throw(text))
      ids->excludes(option);
}

void addSamplingOptions(CLI::App &app, SamplingOverrides &overrides) {
  addValue(app, "--temperature", overrides.temperature, "X",
           "divides the logits; above 0")
      ->check(realNumber(isTemperature, "a finite number above 0 (--greedy "
                                        "takes the most probable token)"));
  addValue(app, "--top-k", overrides.topK, "N",
           "sample among the k largest; 0: all")
      ->check(wholeNumber(0));
  addValue(app, "--top-p", overrides.topP, "X",
           "sample among the most probable that sum to p")
      ->check(realNumber(isProbability, "a number from 0 to 1"));
  addValue(app, "--seed", overrides.seed, "N",
           "the same seed gives the same text [0]")
      ->check(wholeNumber(0, INT64_MAX));
  addFlag(app, "--greedy", overrides.greedy, "always the most probable token");
}

SamplingOptions samplingOptions(const GenerationDefaults &defaults,
                                const SamplingOverrides &overrides) {
  SamplingOptions options;
  bool asked = overrides.temperature || overrides.topK || overrides.topP;
  options.greedy = overrides.greedy || !(defaults.doSample || asked);
  options.temperature = overrides.temperature.value_or(defaults.temperature);
  options.topK = overrides.topK.value_or(defaults.topK);
  options.topP = overrides.topP.value_or(defaults.topP);
  options.seed = overrides.seed;
  return options;
}

int planThreads(const ModelOptions &options) {
  return options.numThreads > 0 ? options.numThreads
                                : ThreadPool::numProcessors();
}

Result<std::vector<int32_t>> parseIds(const std::string &text) {
  std::vector<int32_t> ids;
  std::string_view rest = text;
  while (!rest.empty() || ids.empty()) {
    std::string_view entry = rest.substr(0, rest.find(','));
    std::string_view digits = entry;
    while (digits.starts_with(' '))
      digits.remove_prefix(1);
    while (digits.ends_with(' '))
      digits.remove_suffix(1);
    int32_t id = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (error != std::errc() || end != digits.data() + digits.size() || id < 0)
      return failure("entry {}: got '{}', expected a token id", ids.size() + 1,
                     entry);
    ids.push_back(id);
    if (entry.size() == rest.size())
      break;
    rest.remove_prefix(entry.size() + 1);
    if (rest.empty())
      return failure("entry {}: got '', expected a token id", ids.size() + 1);
  }
  return ids;
}

Result<std::string> readText(const InputOptions &options) {
  if (options.text)
    return *options.text;
  if (!options.file)
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  auto file = MappedFile::open(*options.file);
  if (!file)
    return std::unexpected(file.error());
  auto bytes = (*file)->bytes();
  return std::string(reinterpret_cast<const char *>(bytes.data()),
                     bytes.size());
}

Result<std::vector<int32_t>> readTokens(const InputOptions &options,
                                        const Tokenizer &tokenizer) {
  auto text = readText(options);
  if (!text)
    return std::unexpected(text.error());
  return tokenizer.encode(*text, !options.noSpecial);
}

Result<std::vector<int32_t>> readTokens(const InputOptions &options,
                                        const Model &model,
                                        const std::filesystem::path &path) {
  if (options.ids)
    return parseIds(*options.ids);
  if (!model.tokenizer)
    return failure("{}: got no tokenizer, expected one, or --ids in place of "
                   "text",
                   path.string());
  auto numTokens = static_cast<int64_t>(model.tokenizer->vocabularySize());
  int64_t vocabSize = model.executable->model.vocabSize;
  if (numTokens > vocabSize)
    return failure("{}: tokenizer: got {} tokens, expected at most the model's "
                   "vocab_size, {}",
                   path.string(), numTokens, vocabSize);
  return readTokens(options, *model.tokenizer);
}

} // namespace tandem
