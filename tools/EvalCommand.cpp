#include "frontend/SafetensorsWriter.h"
#include "runtime/Evaluate.h"
#include "tools/Commands.h"
#include "tools/CompilerOptions.h"
#include "tools/OptionValues.h"
#include "tools/OutputFile.h"
#include "tools/PlanFor.h"
#include "tools/PrepareModel.h"

#include <cmath>

namespace tandem {

namespace {

struct EvalOptions {
  ModelOptions model;
  InputOptions input;
  std::string via = "prefill";
  std::optional<std::filesystem::path> logits;
};

ProgramUse useOf(Via via) {
  ProgramUse use;
  use.cached = via != Via::Forward;
  use.uncached = via == Via::Forward;
  use.everyRow = via != Via::Decode;
  return use;
}

Result<int> printEvaluation(const EvalOptions &options,
                            const Evaluation &evaluation) {
  bool isKnown = std::isfinite(evaluation.meanNll);
  if (options.model.json)
    return print(Json{
        {"tokens", evaluation.numTokens},
        {"perplexity", isKnown ? Json(evaluation.perplexity()) : Json(nullptr)},
        {"mean_nll", isKnown ? Json(evaluation.meanNll) : Json(nullptr)}});
  if (!isKnown)
    return print(
        std::string("1 token: no perplexity, since none is predicted\n"));
  return print(fmt::format("{} tokens, perplexity {:.4f}, mean nll {:.6f}\n",
                           evaluation.numTokens, evaluation.perplexity(),
                           evaluation.meanNll));
}

/// That the logits would replace nothing that is read.
Result<void> checkLogits(const EvalOptions &options) {
  if (!options.logits)
    return {};
  std::vector<std::filesystem::path> others;
  if (options.input.file)
    others.push_back(*options.input.file);
  return checkOutput("--logits", *options.logits, options.model.model, others);
}

/// Evaluates `ids`; the logits go to a file if one is wanted.
Result<Evaluation> evaluateTokens(const EvalOptions &options, Via via,
                                  Session &session,
                                  std::span<const int32_t> ids) {
  std::optional<SafetensorsWriter> writer;
  if (options.logits) {
    TensorShape shape = {
        "logits", {static_cast<int64_t>(ids.size()), session.vocabSize()}};
    auto created = SafetensorsWriter::create(*options.logits, {&shape, 1});
    if (!created)
      return std::unexpected(created.error());
    writer = std::move(*created);
  }
  Result<void> written;
  auto evaluation =
      evaluate(session, ids, via, [&](int64_t, std::span<const float> logits) {
        if (writer && written)
          written = writer->append(logits);
      });
  if (evaluation && writer && written)
    written = writer->finish();
  if (evaluation && !written)
    return std::unexpected(written.error());
  return evaluation;
}

Result<int> evalModel(const EvalOptions &options) {
  Via via = *parseVia(options.via);
  if (auto checked = checkLogits(options); !checked)
    return std::unexpected(checked.error());
  Progress progress("evaluating");
  auto model = prepareModel(options.model, useOf(via));
  if (!model)
    return std::unexpected(model.error());
  auto ids = readTokens(options.input, *model, options.model.model);
  if (!ids)
    return std::unexpected(ids.error());
  auto session = startSession(*model, options.model, useOf(via));
  if (!session)
    return std::unexpected(session.error());
  auto evaluation = evaluateTokens(options, via, **session, *ids);
  if (!evaluation)
    return std::unexpected(evaluation.error());
  return printEvaluation(options, *evaluation);
}

} // namespace

void addEvalCommand(Tool &tool) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App *command = tool.add(
      "eval", "logits and perplexity of a given text",
      withPlanFor(options->model, [options] { return evalModel(*options); }));
  addModelArgument(*command, options->model, defaultModel());
  addTextOptions(*command, options->input, "text");
  addIdsOption(*command, options->input);
  addChoice(*command, "--via",
            "through which programs [prefill]; forward is without the cache",
            {"forward", "prefill", "decode"},
            [options](const std::string &via) { options->via = via; });
  addFileOption(*command, "--logits", options->logits,
                "write them to this safetensors file, f32 [tokens, vocab]");
  addModeOption(*command, options->model);
  addThreadsOption(*command, options->model);
  addMemoryLimitOption(*command, options->model);
  addJsonOption(*command, options->model);
  addCompilerOptions(*command, options->model);
}

} // namespace tandem
