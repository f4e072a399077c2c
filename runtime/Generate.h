#pragma once

#include "runtime/Sampler.h"
#include "runtime/Session.h"

#include <functional>
#include <string_view>

namespace tandem {

enum class Finish : uint8_t {
  Length,  // as many tokens as were asked for
  Stop,    // a token that ends a text; it is the last of the ids
  Context, // the sequence has as many positions as the model was trained for
};

/// "length", "stop", "context".
std::string_view name(Finish finish);

struct GenerationOptions {
  int64_t numTokens = 0; // new tokens at the most
  SamplingOptions sampling = {};
  std::vector<int64_t> stopTokens = {}; // empty: none ends the text
  bool useKvCache = true; // else the whole sequence is run anew for each token
};

struct Generation {
  std::vector<int32_t> ids; // the new tokens
  Finish finish = Finish::Length;
  double prefillMs = 0; // until the first token's logits
  double decodeMs = 0;  // all tokens after the first
  int64_t numDecoded = 0;

  double decodeTokensPerSecond() const {
    return decodeMs > 0 ? numDecoded * 1e3 / decodeMs : 0;
  }
};

/// Continues `prompt` in sequence 0 of `session`, which is reset first.
/// `onToken` sees each token as it is chosen. A prompt of as many tokens as the
/// context holds yields one token more, the one its last position predicts.
Result<Generation> generate(Session &session, std::span<const int32_t> prompt,
                            const GenerationOptions &options,
                            const std::function<void(int32_t)> &onToken);

} // namespace tandem
