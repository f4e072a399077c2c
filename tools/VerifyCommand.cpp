#include "tools/BisectModel.h"
#include "tools/Commands.h"
#include "tools/CompilerOptions.h"
#include "tools/PlanFor.h"
#include "tools/PrepareModel.h"
#include "tools/Verification.h"

#include <algorithm>

namespace tandem {

namespace {

struct VerifyOptions {
  ModelOptions model;
  bool bisect = false;
};

Json toJson(const Deviation &deviation) {
  return {{"name", deviation.op},
          {"max_error", deviation.error},
          {"budget", deviation.budget},
          {"where", fmt::format("position {}, element {}", deviation.position,
                                deviation.element)}};
}

Json toJson(const VerifyCheck &check) {
  Json json = {{"name", check.name},
               {"max_error", check.maxError},
               {"budget", check.budget},
               {"where", check.where}};
  if (!check.ops.empty())
    for (const Deviation &deviation : check.ops)
      json["ops"].push_back(toJson(deviation));
  return json;
}

std::string toText(bool ok, const std::string &name, double error,
                   double budget, const std::string &where) {
  return fmt::format("{:<4} {:<48} error {:.2e} of {:.2e}  {}\n",
                     ok ? "ok" : "OVER", name, error, budget, where);
}

/// Prints, and fails with the line that says what is at fault, if anything is.
Result<int> report(const ModelOptions &options, const Json &document,
                   const std::string &text, const std::string &fault) {
  auto printed = options.json ? print(document) : print(text);
  if (!printed || fault.empty())
    return printed;
  return failure("{}: {}", options.model.string(), fault);
}

Result<int> verifyModel(const ModelOptions &options) {
  std::optional<Progress> progress;
  auto checks = verifyPrograms(options, [&](const std::string &what) {
    progress.reset();
    progress.emplace("verifying: " + what);
  });
  progress.reset();
  if (!checks)
    return std::unexpected(checks.error());
  Json document = {{"ok", std::ranges::all_of(*checks, &VerifyCheck::ok)},
                   {"checks", Json::array()}};
  std::string text;
  for (const VerifyCheck &check : *checks) {
    document["checks"].push_back(toJson(check));
    text += toText(check.ok(), check.name, check.maxError, check.budget,
                   check.where);
  }
  return report(options, document, text, firstOverBudget(*checks));
}

Result<int> bisectPasses(const ModelOptions &options) {
  std::optional<Progress> progress;
  auto found = bisectModel(options, [&](const std::string &pass) {
    progress.reset();
    progress.emplace("bisecting: after " + pass);
  });
  progress.reset();
  if (!found)
    return std::unexpected(found.error());
  Json document = {{"ok", !found->fault}, {"checks", Json::array()}};
  std::string text, fault;
  for (const Bisection::PassCheck &check : found->checks) {
    const Deviation worst = check.worst.value_or(Deviation());
    std::string op = check.fault ? check.fault->op : worst.op;
    document["checks"].push_back({{"name", check.pass},
                                  {"max_error", worst.error},
                                  {"budget", worst.budget},
                                  {"where", op}});
    text += toText(!check.fault, "after " + check.pass, worst.error,
                   worst.budget, op);
  }
  if (found->fault)
    fault = fmt::format("pass '{}': op '{}': {}", found->fault->pass,
                        found->fault->op, found->fault->message);
  return report(options, document, text, fault);
}

Result<int> verify(const VerifyOptions &options) {
  if (isArtifact(options.model.model))
    return failure("{}: got an artifact, expected a model folder: there is "
                   "nothing eager in it to compare with",
                   options.model.model.string());
  return options.bisect ? bisectPasses(options.model)
                        : verifyModel(options.model);
}

} // namespace

void addVerifyCommand(Tool &tool) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App *command = tool.add(
      "verify", "compares the programs of a model with one another, op by op",
      withPlanFor(options->model, [options] { return verify(*options); }));
  addModelArgument(*command, options->model, defaultModel());
  command->add_flag("--bisect", options->bisect,
                    "find the first pass that changes a number, by the "
                    "reference interpreter");
  addThreadsOption(*command, options->model);
  addMemoryLimitOption(*command, options->model);
  addJsonOption(*command, options->model);
  addCompilerOptions(*command, options->model);
}

} // namespace tandem
