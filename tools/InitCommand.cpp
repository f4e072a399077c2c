#include "frontend/RandomCheckpoint.h"
#include "tools/Commands.h"
#include "tools/OptionValues.h"

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
  command->add_option("NAME", options->name, "the name of a model")
      ->check(oneOf(knownModelNames()))
      ->type_name(fmt::format("{}", fmt::join(knownModelNames(), "|")))
      ->required();
  addValue(*command, "-o,--output", options->folder, "DIR",
           "the folder to write: a new one, or an empty one")
      ->check(pathName())
      ->required();
  addValue(*command, "--seed", options->seed, "N", "of the weights [0]")
      ->check(wholeNumber(0, INT64_MAX));
}

} // namespace tandem
