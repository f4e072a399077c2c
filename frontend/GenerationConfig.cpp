#include "frontend/GenerationConfig.h"

#include "frontend/JsonFields.h"

namespace tandem {

namespace {

/// A key of Hugging Face's that changes the text, and the value that does not;
/// null and empty lists never do.
struct UnappliedKey {
  std::string_view key;
  double neutral;
  bool onlySampled = false;
};

// What fixes lengths is not here: how many tokens there are to be is for the
// command line.
constexpr UnappliedKey unappliedKeys[] = {
    {"repetition_penalty", 1},
    {"encoder_repetition_penalty", 1},
    {"no_repeat_ngram_size", 0},
    {"encoder_no_repeat_ngram_size", 0},
    {"bad_words_ids", 0},
    {"sequence_bias", 0},
    {"suppress_tokens", 0},
    {"begin_suppress_tokens", 0},
    {"forced_bos_token_id", -1},
    {"forced_eos_token_id", -1},
    {"forced_decoder_ids", 0},
    {"min_length", 0},
    {"min_new_tokens", 0},
    {"exponential_decay_length_penalty", 0},
    {"stop_strings", 0},
    {"guidance_scale", 1},
    {"penalty_alpha", 0},
    {"dola_layers", 0},
    {"num_beams", 1},
    {"num_beam_groups", 1},
    {"diversity_penalty", 0},
    {"watermarking_config", 0},
    {"min_p", 0, true},
    {"typical_p", 1, true},
    {"epsilon_cutoff", 0, true},
    {"eta_cutoff", 0, true},
};

} // namespace

static std::vector<UnappliedSetting> unappliedSettings(const Json &json) {
  std::vector<UnappliedSetting> settings;
  for (const UnappliedKey &known : unappliedKeys) {
    auto field = json.find(known.key);
    bool isNeutral = field == json.end() || field->empty() ||
                     (field->is_number() && *field == known.neutral);
    if (!isNeutral)
      settings.push_back(
          {std::string(known.key), shown(*field), known.onlySampled});
  }
  return settings;
}

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
  fields.tokens("eos_token_id", config.eosTokens);
  if (auto done = fields.finish(); !done)
    return std::unexpected(done.error());
  config.unapplied = unappliedSettings(*json);
  return config;
}

} // namespace tandem
