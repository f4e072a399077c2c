#include "backend/lowering/LowerToExecutable.h"
#include "frontend/Gpt2Parameters.h"
#include "runtime/Artifact.h"
#include "tools/BuildModule.h"
#include "tools/Commands.h"
#include "tools/CompilerOptions.h"
#include "tools/PrepareModel.h"

namespace tandem {

namespace {

ProgramUse useOf(const ModelOptions &options) {
  return {.cached = options.kvCache, .uncached = !options.kvCache};
}

/// The plan of a folder's model, without packing a weight; or an artifact's.
Result<Executable> planOf(const ModelOptions &options) {
  if (isArtifact(options.model)) {
    auto artifact = readArtifact(options.model);
    if (!artifact)
      return std::unexpected(artifact.error());
    return std::move(artifact->contents.executable);
  }
  auto built = buildModule(options, useOf(options), Stage::Planned);
  if (!built)
    return std::unexpected(built.error());
  auto executable = lowerToExecutable(*built->module);
  if (executable)
    executable->model =
        summarize(built->checkpoint.config, built->positions, options.model);
  return executable;
}

Result<int> showModel(const ModelOptions &options) {
  auto plan = planOf(options);
  if (!plan)
    return std::unexpected(plan.error());
  const ModelSummary &model = plan->model;
  int64_t planned =
      Session::plannedBytes(*plan, sessionOptions(options, useOf(options)));
  std::vector<std::string> programs;
  for (const Program &program : plan->programs)
    programs.push_back(program.name);
  Json document = {{"name", model.name},
                   {"parameters", model.parameters},
                   {"weights_bytes", plan->constantBytes},
                   {"kv_bytes_per_token", plan->kvCache.bytesPerToken()},
                   {"planned_bytes", planned},
                   {"layers", model.layers},
                   {"heads", model.heads},
                   {"embed", model.embed},
                   {"inner", model.inner},
                   {"vocab", model.vocabSize},
                   {"positions", model.positions},
                   {"programs", programs}};
  if (options.json)
    return print(document);
  std::string text;
  for (auto &[key, value] : document.items())
    text += fmt::format("{:<20} {}\n", key,
                        value.is_string() ? value.get<std::string>()
                                          : value.dump());
  return print(text);
}

} // namespace

void addInfoCommand(Tool &tool) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App *command = tool.add("info", "what a model is and what it costs",
                               [options] { return showModel(*options); });
  addModelArgument(*command, *options, defaultModel());
  addKvCacheOption(*command, *options);
  addThreadsOption(*command, *options);
  addBatchOption(*command, *options);
  addJsonOption(*command, *options);
  addCompilerOptions(*command, *options);
}

} // namespace tandem
