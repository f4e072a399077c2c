#include "frontend/SafetensorsWriter.h"
#include "runtime/Evaluate.h"
#include "tools/Commands.h"
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

Result<int> evalModel(const EvalOptions &options) {
  Via via = *parseVia(options.via);
  Progress progress("evaluating");
  auto model = prepareModel(options.model, useOf(via));
  if (!model)
    return std::unexpected(model.error());
  auto ids = readTokens(options.input,
                        model->tokenizer ? &*model->tokenizer : nullptr);
  if (!ids)
    return std::unexpected(ids.error());
  auto session = startSession(*model, options.model, useOf(via));
  if (!session)
    return std::unexpected(session.error());
  std::optional<SafetensorsWriter> writer;
  if (options.logits) {
    TensorShape shape = {
        "logits", {static_cast<int64_t>(ids->size()), (*session)->vocabSize()}};
    auto created = SafetensorsWriter::create(*options.logits, {&shape, 1});
    if (!created)
      return std::unexpected(created.error());
    writer = std::move(*created);
  }
  Result<void> written;
  auto evaluation = evaluate(**session, *ids, via,
                             [&](int64_t, std::span<const float> logits) {
                               if (writer && written)
                                 written = writer->append(logits);
                             });
  if (!evaluation)
    return std::unexpected(evaluation.error());
  if (writer && written)
    written = writer->finish();
  if (!written)
    return std::unexpected(written.error());
  return printEvaluation(options, *evaluation);
}

} // namespace

void addEvalCommand(Tool &tool) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App *command = tool.add("eval", "logits and perplexity of a given text",
                               [options] { return evalModel(*options); });
  addModelArgument(*command, options->model, defaultModel());
  addTextOptions(*command, options->input, "text");
  addIdsOption(*command, options->input);
  command
      ->add_option("--via", options->via,
                   "through which programs: forward (no cache), prefill, or "
                   "decode [prefill]")
      ->check(CLI::IsMember({"forward", "prefill", "decode"}))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  command
      ->add_option("--logits", options->logits,
                   "write them to this safetensors file, f32 [tokens, vocab]")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  addModeOption(*command, options->model);
  addThreadsOption(*command, options->model);
  addMemoryLimitOption(*command, options->model);
  addJsonOption(*command, options->model);
  addCompilerOptions(*command, options->model);
}

} // namespace tandem
