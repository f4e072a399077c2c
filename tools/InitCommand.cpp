#include "frontend/RandomCheckpoint.h"
#include "tools/Commands.h"

namespace tandem {

namespace {

struct InitOptions {
  std::string name;
  std::filesystem::path folder;
  uint64_t seed = 0;
};

} // namespace

void addInitCommand(Tool &tool) {
  auto options = std::make_shared<InitOptions>();
  CLI::App *command =
      tool.add("init", "writes a checkpoint with random weights",
               [options]() -> Result<int> {
                 Progress progress("writing " + options->folder.string());
                 auto written = writeRandomCheckpoint(
                     options->name, options->folder, options->seed);
                 if (!written)
                   return std::unexpected(written.error());
                 return 0;
               });
  command
      ->add_option("NAME", options->name,
                   "gpt2, gpt2-medium, gpt2-large, gpt2-xl or distilgpt2")
      ->required();
  command->add_option("-o,--output", options->folder, "the folder to write")
      ->required()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  command->add_option("--seed", options->seed, "of the weights [0]")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

} // namespace tandem
