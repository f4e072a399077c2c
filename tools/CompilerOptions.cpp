#include "tools/CompilerOptions.h"

#include "passes/Pipeline.h"
#include "tools/OptionValues.h"

namespace tandem {

/// An option that names a pass, and may be given again for another.
static void addPassOption(CLI::App &app, const std::string &name,
                          std::vector<std::string> &values,
                          const std::vector<std::string> &passes,
                          const std::string &help) {
  app.add_option(
         name, values,
         fmt::format("{}; again for more: {}", help, fmt::join(passes, ", ")))
      ->allow_extra_args(false)
      ->check(oneOf(passes))
      ->type_name("PASS");
}

void addBucketOptions(CLI::App &app, ModelOptions &options) {
  addNumbers(app, "--buckets",
             fmt::format("rows of the prefill programs [{}]",
                         fmt::join(defaultBuckets, ",")),
             wholeNumber(1, 65536), [&options](std::vector<int64_t> rows) {
               options.buckets = std::move(rows);
             });
  addFileOption(app, "--plan-for", options.planFor,
                "the lengths of prompts, one a line: choose the buckets that "
                "cost least for them, and print what they cost")
      ->excludes("--buckets");
}

static void addPrecisionOption(CLI::App &app, ModelOptions &options) {
  addChoice(app, "--precision", "of weights, and of what they multiply [f32]",
            precisionNames(), [&options](const std::string &value) {
              options.precision = parsePrecision(value);
            });
}

void addCompilerOptions(CLI::App &app, ModelOptions &options) {
  addPrecisionOption(app, options);
  addValue(app, "--context", options.context, "N",
           "positions of a sequence [the model's]")
      ->check(wholeNumber(1));
  addBucketOptions(app, options);
  addPassOption(app, "--disable-pass", options.disabledPasses,
                optimisationNames(), "leave an optimisation out");
  addPassOption(app, "--print-after", options.printAfter, passNames(),
                "print the IR after a pass to standard error");
  addFlag(app, "--timing", options.timing,
          "print the passes' times to standard error");
}

} // namespace tandem
