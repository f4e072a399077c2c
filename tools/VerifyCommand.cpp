#include "tools/Commands.h"
#include "tools/CompilerOptions.h"
#include "tools/PrepareModel.h"
#include "tools/VerifyChecks.h"

#include <algorithm>

namespace tandem {

namespace {

/// The table, or the document.
Result<int> printChecks(const ModelOptions &options,
                        const std::vector<Check> &checks) {
  Json document = {{"ok", std::ranges::all_of(checks, &Check::ok)},
                   {"checks", Json::array()}};
  std::string text;
  for (const Check &check : checks) {
    document["checks"].push_back({{"name", check.name},
                                  {"max_error", check.maxError},
                                  {"budget", check.budget},
                                  {"where", check.where}});
    text += fmt::format("{:<4} {:<34} error {:.2e} of {:.2e}  {}\n",
                        check.ok() ? "ok" : "OVER", check.name, check.maxError,
                        check.budget, check.where);
  }
  return options.json ? print(document) : print(text);
}

Result<int> verifyModel(const ModelOptions &options) {
  if (isArtifact(options.model))
    return failure("{}: got an artifact, expected a model folder: there is "
                   "nothing eager in it to compare with",
                   options.model.string());
  std::optional<Progress> progress("verifying");
  auto checks = runChecks(options);
  if (!checks)
    return std::unexpected(checks.error());
  progress.reset();
  if (auto printed = printChecks(options, *checks); !printed)
    return printed;
  auto over = std::ranges::find_if_not(*checks, &Check::ok);
  if (over != checks->end())
    return failure(
        "{}: {}: {}: got an error of {:.2e}, expected at most {:.2e}",
        options.model.string(), over->name, over->where, over->maxError,
        over->budget);
  return 0;
}

} // namespace

void addVerifyCommand(Tool &tool) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App *command = tool.add(
      "verify", "compares every program's logits with eager, without a cache",
      [options] { return verifyModel(*options); });
  addModelArgument(*command, *options, defaultModel());
  addThreadsOption(*command, *options);
  addMemoryLimitOption(*command, *options);
  addJsonOption(*command, *options);
  addCompilerOptions(*command, *options);
}

} // namespace tandem
