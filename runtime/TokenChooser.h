#pragma once

#include "runtime/Generate.h"

namespace tandem {

/// One sequence as it grows: its sampler, its new tokens, and why it ends.
/// Knows no session, so that sequences that grow together and one that grows
/// alone go through the same.
class TokenChooser {
public:
  /// For a prompt of `promptLength` tokens in a context of `positions`. What
  /// `options` refers to must outlive it. Fails as Sampler::create() does.
  static Result<TokenChooser> create(const GenerationOptions &options,
                                     int64_t vocabSize, int64_t promptLength,
                                     int64_t positions);

  /// Chooses the next token from `logits` [vocab], then says whether the
  /// sequence is to go on. Allocates nothing. Not to be called once it has
  /// ended.
  Result<bool> choose(std::span<const float> logits);

  /// False: no token was asked for.
  bool wantsTokens() const { return options->numTokens > 0; }
  /// The token that was chosen last.
  int32_t last() const { return result.ids.back(); }

  Generation result;

private:
  TokenChooser(const GenerationOptions &options, Sampler sampler,
               int64_t promptLength, int64_t positions);

  /// Why the last of the new tokens is the last, if it is.
  std::optional<Finish> finish() const;

  const GenerationOptions *options;
  Sampler sampler;
  int64_t promptLength, positions;
};

} // namespace tandem
