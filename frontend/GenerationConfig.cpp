#include "frontend/GenerationConfig.h"

#include "frontend/JsonFields.h"

namespace tandem {

static bool isPositive(double value) { return value > 0; }
static bool isFraction(double value) { return value >= 0 && value <= 1; }

Result<GenerationDefaults>
readGenerationConfig(const std::filesystem::path &folder) {
  auto path = folder / "generation_config.json";
  GenerationDefaults config;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return config;
  auto json = readJsonObject(path);
  if (!json)
    return std::unexpected(json.error());
  JsonFields fields(*json, path.string());
  fields.boolean("do_sample", config.doSample);
  fields.number("temperature", isPositive, "a number above 0",
                config.temperature);
  fields.integerOrNull("top_k", 0, INT32_MAX, config.topK);
  fields.number("top_p", isFraction, "a number from 0 to 1", config.topP);
  fields.number("min_p", isFraction, "a number from 0 to 1", config.minP);
  fields.number("repetition_penalty", isPositive, "a number above 0",
                config.repetitionPenalty);
  fields.tokens("eos_token_id", config.eosTokens);
  if (auto done = fields.finish(); !done)
    return std::unexpected(done.error());
  return config;
}

} // namespace tandem
