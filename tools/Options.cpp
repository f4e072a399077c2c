#include "tools/Options.h"

#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>

namespace tandem {

namespace {

/// An option that, given twice, has its last value.
template <typename T>
CLI::Option *add(CLI::App &app, const std::string &names, T &value,
                 const std::string &help) {
  return app.add_option(names, value, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void addChoice(CLI::App &app, const std::string &name, const std::string &help,
               const std::vector<std::string> &choices,
               const std::function<void(const std::string &)> &choose) {
  app.add_option_function<std::string>(name, choose, help)
      ->check(CLI::IsMember(choices))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option *addFlag(CLI::App &app, const std::string &names, bool &value,
                     const std::string &help) {
  return app.add_flag(names, value, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

} // namespace

CLI::Range atLeast(int64_t least) {
  return CLI::Range(least, int64_t{1} << 60,
                    "a whole number from " + std::to_string(least) + " on");
}

void addModelArgument(CLI::App &app, ModelOptions &options,
                      const std::filesystem::path &defaultModel) {
  options.model = defaultModel;
  auto *argument =
      app.add_option("MODEL", options.model,
                     defaultModel.empty()
                         ? "a compiled .tandem file"
                         : "a Hugging Face folder or a compiled .tandem file; "
                           "left out: the default model");
  argument->required(defaultModel.empty());
}

void addJsonOption(CLI::App &app, ModelOptions &options) {
  addFlag(app, "--json", options.json,
          "print one JSON document and nothing else");
}

void addThreadsOption(CLI::App &app, ModelOptions &options) {
  add(app, "--threads", options.numThreads, "threads [all cores]")
      ->check(CLI::Range(1, 1024));
}

void addMemoryLimitOption(CLI::App &app, ModelOptions &options) {
  add(app, "--memory-limit", options.memoryLimit,
      "refuse to take more than this many bytes")
      ->check(atLeast(1));
}

void addKvCacheOption(CLI::App &app, ModelOptions &options) {
  addChoice(app, "--kv-cache", "on or off [on]", {"on", "off"},
            [&options](const std::string &value) {
              options.kvCache = value == "on";
            });
}

void addModeOption(CLI::App &app, ModelOptions &options) {
  addChoice(app, "--mode", "eager or compiled [compiled]",
            {"eager", "compiled"}, [&options](const std::string &value) {
              options.mode = value == "eager" ? Mode::Eager : Mode::Compiled;
            });
}

void addBatchOption(CLI::App &app, ModelOptions &options) {
  add(app, "--batch", options.batch,
      "sequences of the largest decode program [1]")
      ->check(CLI::Range(1, 8));
}

void addCompilerOptions(CLI::App &app, ModelOptions &options) {
  add(app, "--context", options.context,
      "positions of a sequence [the model's]")
      ->check(atLeast(1));
  app.add_option_function<std::vector<int64_t>>(
         "--buckets",
         [&options](const std::vector<int64_t> &rows) {
           options.buckets = rows;
         },
         "rows of the prefill programs [8,32,128,512]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 65536));
  app.add_option("--disable-pass", options.disabledPasses,
                 "leave an optimisation out; again for more")
      ->allow_extra_args(false);
  app.add_option("--print-after", options.printAfter,
                 "print the IR after a pass to standard error; again for more");
  addFlag(app, "--timing", options.timing,
          "print the passes' times to standard error");
}

void addTextOptions(CLI::App &app, InputOptions &options,
                    const std::string &textName) {
  add(app, "--" + textName, options.text, "the text");
  add(app, textName == "prompt" ? "--prompt-file" : "--file", options.file,
      "a file that holds it; without either, standard input")
      ->excludes("--" + textName);
  addFlag(app, "--no-special", options.noSpecial,
          "special tokens in the text are ordinary text");
}

void addIdsOption(CLI::App &app, InputOptions &options) {
  auto *ids = add(app, "--ids", options.ids, "token ids, as 1,2,3");
  for (const char *text : {"--text", "--prompt", "--file", "--prompt-file"})
    if (auto *option = app.get_option_no_throw(text))
      ids->excludes(option);
}

void addSamplingOptions(CLI::App &app, SamplingOverrides &overrides) {
  add(app, "--temperature", overrides.temperature,
      "divides the logits; above 0");
  add(app, "--top-k", overrides.topK, "sample among the k largest; 0: all");
  add(app, "--top-p", overrides.topP,
      "sample among the most probable that sum to p");
  add(app, "--seed", overrides.seed, "the same seed gives the same text [0]")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 63));
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
      return failure("--ids: entry {}: got '{}', expected a token id",
                     ids.size() + 1, entry);
    ids.push_back(id);
    if (entry.size() == rest.size())
      break;
    rest.remove_prefix(entry.size() + 1);
    if (rest.empty())
      return failure("--ids: entry {}: got '', expected a token id",
                     ids.size() + 1);
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
                                        const Tokenizer *tokenizer) {
  if (options.ids)
    return parseIds(*options.ids);
  if (!tokenizer)
    return failure("text: the model has no tokenizer, expected --ids");
  auto text = readText(options);
  if (!text)
    return std::unexpected(text.error());
  return tokenizer->encode(*text, !options.noSpecial);
}

} // namespace tandem
