#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// A setting that would change the text and that nothing here obeys.
struct UnappliedSetting {
  std::string key, value;  // as the file has them
  bool onlySampled = true; // moot where decoding is greedy

  bool operator==(const UnappliedSetting &) const = default;
};

/// How a folder's author wants its model to generate; what the file does not
/// say has Hugging Face's defaults, which are the ones here. Whoever overrides
/// a field on the command line starts from this.
struct GenerationDefaults {
  bool doSample = false;  // false: greedy, and the next three are moot
  double temperature = 1; // > 0
  int64_t topK = 50;      // 0: off
  double topP = 1;        // in [0, 1]; 1: off
  /// What ends a text; absent: what the model's configuration says.
  std::optional<std::vector<int64_t>> eosTokens;
  std::vector<UnappliedSetting> unapplied; // for a warning

  bool operator==(const GenerationDefaults &) const = default;
};

} // namespace tandem
