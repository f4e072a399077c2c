#include "runtime/Artifact.h"
#include "runtime/ArtifactFile.h"
#include "runtime/WeightTypes.h"
#include "tools/Commands.h"
#include "tools/CompilePlan.h"
#include "tools/CompilerOptions.h"
#include "tools/PlanFor.h"
#include "tools/PrepareModel.h"

namespace tandem {

namespace {

ProgramUse useOf(const ModelOptions &options) {
  return {.cached = options.kvCache, .uncached = !options.kvCache};
}

/// The plan of a model, without packing a weight; or an artifact's,
/// which also says where it comes from.
struct Described {
  Executable executable;
  std::optional<ArtifactOrigin> origin;
};

Result<Described> describe(const ModelOptions &options) {
  if (isArtifact(options.model)) {
    if (auto checked = requireNoCompilerOption(options); !checked)
      return std::unexpected(checked.error());
    auto artifact = readArtifact(options.model);
    if (!artifact)
      return std::unexpected(artifact.error());
    return Described{std::move(artifact->executable),
                     std::move(artifact->origin)};
  }
  auto plan = compilePlan(options, useOf(options));
  if (!plan)
    return std::unexpected(plan.error());
  return Described{std::move(plan->executable), std::nullopt};
}

Json documentOf(const Executable &plan, int64_t plannedBytes) {
  const ModelSummary &model = plan.model;
  std::vector<std::string> programs;
  for (const Program &program : plan.programs)
    programs.push_back(program.name);
  Json document = {{"name", model.name},
                   {"parameters", model.parameters},
                   {"precision", name(precisionOf(plan))},
                   {"weights_bytes", plan.constantBytes},
                   {"kv_bytes_per_token", plan.kvCache.bytesPerToken()},
                   {"planned_bytes", plannedBytes},
                   {"layers", model.layers},
                   {"heads", model.heads},
                   {"embed", model.embed},
                   {"inner", model.inner},
                   {"vocab", model.vocabSize},
                   {"positions", model.positions},
                   {"programs", programs}};
  for (auto [type, bytes] : weightBytes(plan))
    document["weights_bytes_by_type"][std::string(name(type))] = bytes;
  for (const char *size : {"layers", "heads", "inner"})
    if (document[size] == 0) // the programs do not say
      document.erase(size);
  return document;
}

void addOrigin(Json &document, const ArtifactOrigin &origin) {
  const PipelineRecord &pipeline = origin.pipeline;
  document.update({{"format_version", artifactVersion},
                   {"tandem_version", origin.tandemVersion},
                   {"source", origin.source},
                   {"source_hash", origin.sourceHash},
                   {"instruction_sets", origin.instructionSets},
                   {"passes", pipeline.passes},
                   {"disabled_passes", pipeline.disabledPasses},
                   {"context", pipeline.context},
                   {"batch", pipeline.batch},
                   {"threads", pipeline.threads},
                   {"batch_planned_bytes", origin.plannedBytes}});
}

/// Rows of the programs of each kind that there is, fewest first.
Json bucketsOf(const Executable &plan, const SessionOptions &options) {
  ProgramSet programs = selectPrograms(plan, options);
  Json document = Json::object();
  for (auto [kind, name] : {std::pair{ProgramKind::Prefill, "prefill"},
                            std::pair{ProgramKind::Decode, "decode"},
                            std::pair{ProgramKind::Forward, "forward"},
                            std::pair{ProgramKind::Head, "head"}})
    for (const Bucket &bucket : programs[kind])
      document[name].push_back(bucket.rows());
  return document;
}

/// Chooses `options.buckets` where --plan-for asks for it.
Result<std::optional<BucketPlan>> chooseBuckets(ModelOptions &options) {
  if (!options.planFor)
    return std::nullopt;
  auto chosen = planFor(options);
  if (!chosen)
    return std::unexpected(chosen.error());
  options.buckets = chosen->buckets;
  return std::optional(std::move(*chosen));
}

Result<int> showModel(ModelOptions options) {
  auto bucketPlan = chooseBuckets(options);
  if (!bucketPlan)
    return std::unexpected(bucketPlan.error());
  auto described = describe(options);
  if (!described)
    return std::unexpected(described.error());
  const Executable &plan = described->executable;
  SessionOptions session = sessionOptions(options, useOf(options));
  Json document = documentOf(plan, Session::plannedBytes(plan, session));
  document["buckets"] = bucketsOf(plan, session);
  if (options.json && *bucketPlan)
    document["bucket_plan"] = planDocument(**bucketPlan);
  if (described->origin)
    addOrigin(document, *described->origin);
  if (options.json)
    return print(document);
  std::string text;
  for (auto &[key, value] : document.items())
    text += fmt::format("{:<20} {}\n", key,
                        value.is_string() ? value.get<std::string>()
                                          : value.dump());
  if (*bucketPlan)
    text += "\n" + planTable(**bucketPlan);
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
