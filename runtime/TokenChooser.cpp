#include "runtime/TokenChooser.h"

#include <algorithm>

namespace tandem {

TokenChooser::TokenChooser(const GenerationOptions &options, Sampler sampler,
                           int64_t promptLength, int64_t positions)
    : options(&options), sampler(std::move(sampler)),
      promptLength(promptLength), positions(positions) {
  int64_t most = std::clamp<int64_t>(options.numTokens, 0, positions + 1);
  result.ids.reserve(most);
}

Result<TokenChooser> TokenChooser::create(const GenerationOptions &options,
                                          int64_t vocabSize,
                                          int64_t promptLength,
                                          int64_t positions) {
  auto sampler = Sampler::create(options.sampling, vocabSize);
  if (!sampler)
    return std::unexpected(sampler.error());
  return TokenChooser(options, std::move(*sampler), promptLength, positions);
}

Result<bool> TokenChooser::choose(std::span<const float> logits) {
  auto token = sampler.sample(logits);
  if (!token)
    return std::unexpected(token.error());
  result.ids.push_back(*token);
  auto end = finish();
  result.finish = end.value_or(result.finish);
  return !end;
}

std::optional<Finish> TokenChooser::finish() const {
  if (std::ranges::find(options->stopTokens, last()) !=
      options->stopTokens.end())
    return Finish::Stop;
  auto numTokens = static_cast<int64_t>(result.ids.size());
  if (numTokens == options->numTokens)
    return Finish::Length;
  // The last token needs no position of its own.
  return promptLength + numTokens - 1 == positions
             ? std::optional(Finish::Context)
             : std::nullopt;
}

} // namespace tandem
