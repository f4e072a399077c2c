#include "runtime/Evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem {

std::optional<Via> parseVia(std::string_view name) {
  if (name == "forward")
    return Via::Forward;
  if (name == "prefill")
    return Via::Prefill;
  if (name == "decode")
    return Via::Decode;
  return std::nullopt;
}

double Evaluation::perplexity() const { return std::exp(meanNll); }

double negativeLogLikelihood(std::span<const float> logits, int32_t token) {
  double largest = *std::ranges::max_element(logits), sum = 0;
  for (float logit : logits)
    sum += std::exp(logit - largest);
  return largest + std::log(sum) - logits[token];
}

static Result<void> runWindow(Session &session, std::span<const int32_t> window,
                              Via via, const Session::LogitsSink &sink) {
  switch (via) {
  case Via::Forward:
    return session.forward(window, /*everyRow=*/true, sink);
  case Via::Prefill:
    session.reset(0);
    return session.prefillAllLogits(0, window, sink);
  case Via::Decode:
    session.reset(0);
    for (size_t i = 0; i < window.size(); ++i) {
      Session::DecodeRow row = {0, window[i]};
      auto logits = session.decode({&row, 1});
      if (!logits)
        return std::unexpected(logits.error());
      sink(i, *logits);
    }
    return {};
  }
  return {};
}

Result<Evaluation> evaluate(Session &session, std::span<const int32_t> ids,
                            Via via, const Session::LogitsSink &sink) {
  if (ids.empty())
    return failure("text: got no tokens, expected 1 or more");
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= session.vocabSize())
      return failure("token {}: got id {}, expected 0 to {}", i, ids[i],
                     session.vocabSize() - 1);
  size_t vocab = session.vocabSize(), windowSize = session.positions();
  double total = 0;
  for (size_t begin = 0; begin < ids.size(); begin += windowSize) {
    auto window = ids.subspan(begin, std::min(windowSize, ids.size() - begin));
    auto ran = runWindow(session, window, via,
                         [&](int64_t first, std::span<const float> logits) {
                           for (size_t i = 0; i * vocab < logits.size(); ++i) {
                             size_t next = begin + first + i + 1;
                             if (next < ids.size())
                               total += negativeLogLikelihood(
                                   logits.subspan(i * vocab, vocab), ids[next]);
                           }
                           sink(begin + first, logits);
                         });
    if (!ran)
      return std::unexpected(ran.error());
  }
  if (std::isnan(total))
    return failure("logits: got NaN, expected numbers");
  Evaluation result;
  result.numTokens = ids.size();
  result.meanNll = ids.size() > 1 ? total / (ids.size() - 1)
                                  : std::numeric_limits<double>::quiet_NaN();
  return result;
}

} // namespace tandem
