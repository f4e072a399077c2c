#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tandem {

/// How a folder's author wants its model to generate; what the file does not
/// say has Hugging Face's defaults, which are the ones here. Whoever overrides
/// a field on the command line starts from this.
struct GenerationDefaults {
  bool doSample = false;        // false: greedy, and the rest is moot
  double temperature = 1;       // > 0
  int64_t topK = 50;            // 0: off
  double topP = 1;              // in [0, 1]; 1: off
  double minP = 0;              // in [0, 1]; 0: off
  double repetitionPenalty = 1; // > 0; 1: off
  /// What ends a text; absent: what the model's configuration says.
  std::optional<std::vector<int64_t>> eosTokens;

  bool operator==(const GenerationDefaults &) const = default;
};

} // namespace tandem
