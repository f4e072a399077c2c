#pragma once

#include "runtime/Session.h"

#include <optional>
#include <string_view>

namespace tandem {

/// Through which programs a text is evaluated.
enum class Via : uint8_t {
  Forward, // no cache
  Prefill, // prefill buckets, head programs
  Decode,  // one token at a time over the cache
};
std::optional<Via> parseVia(std::string_view name);

struct Evaluation {
  int64_t numTokens = 0;
  double meanNll = 0; // mean of -ln p(token) over every token but the first
  double perplexity() const;
};

/// Runs `ids` in windows of the session's positions, each starting afresh, and
/// hands the logits of every row, in order, to `sink`. Every token but the
/// text's first counts: the last row of a window predicts the first token of
/// the next. A single token has no likelihood: meanNll is then NaN.
Result<Evaluation> evaluate(Session &session, std::span<const int32_t> ids,
                            Via via, const Session::LogitsSink &sink);

/// -ln softmax(logits)[token], in double precision.
double negativeLogLikelihood(std::span<const float> logits, int32_t token);

} // namespace tandem
