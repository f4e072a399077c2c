#include "tools/GenerationDocument.h"

namespace tandem {

std::vector<int64_t> stopTokens(const Model &model, bool ignoreEos) {
  if (ignoreEos)
    return {};
  return model.generation.eosTokens.value_or(model.executable->model.eosTokens);
}

std::string textAfter(TextStream &stream, int32_t token) {
  auto text = stream.push(token);
  return text ? *text : stream.flush() + "\uFFFD";
}

std::string textOf(const Tokenizer &tokenizer, const Generation &generation) {
  std::span<const int32_t> ids = generation.ids;
  if (generation.finish == Finish::Stop)
    ids = ids.first(ids.size() - 1);
  TextStream stream(tokenizer);
  std::string text;
  for (int32_t id : ids)
    text += textAfter(stream, id);
  return text + stream.flush();
}

Json generationDocument(const Model &model, const Session &session,
                        std::span<const int32_t> prompt,
                        const Generation &generation) {
  Json text = nullptr;
  if (model.tokenizer)
    text = textOf(*model.tokenizer, generation);
  bool isPlanned = model.executable->programs.front().planned;
  return {{"prompt_ids", std::vector<int32_t>(prompt.begin(), prompt.end())},
          {"ids", generation.ids},
          {"text", text},
          {"finish", name(generation.finish)},
          {"prefill_ms", generation.prefillMs},
          {"decode_tokens_per_s", generation.decodeTokensPerSecond()},
          {"compile_ms", model.compileMs},
          {"peak_bytes", session.peakBytes()},
          {"planned_bytes",
           isPlanned ? Json(session.plannedBytes()) : Json(nullptr)}};
}

} // namespace tandem
