#include "runtime/Generate.h"

#include "runtime/Stopwatch.h"
#include "runtime/TokenChooser.h"

namespace tandem {

std::string_view name(Finish finish) {
  switch (finish) {
  case Finish::Length:
    return "length";
  case Finish::Stop:
    return "stop";
  case Finish::Context:
    return "context";
  }
  return "";
}

namespace {

/// Gives the logits after each further token, with the cache or without.
class Continuation {
public:
  Continuation(Session &session, bool useKvCache)
      : session(session), useKvCache(useKvCache) {}

  Result<std::span<const float>> start(std::span<const int32_t> prompt) {
    session.reset(0);
    if (useKvCache)
      return session.prefill(0, prompt);
    ids.reserve(session.positions());
    ids.assign(prompt.begin(), prompt.end());
    return rerun();
  }

  Result<std::span<const float>> append(int32_t token) {
    if (useKvCache) {
      Session::DecodeRow row = {0, token};
      return session.decode({&row, 1});
    }
    ids.push_back(token);
    return rerun();
  }

private:
  Result<std::span<const float>> rerun() {
    std::span<const float> last;
    auto ran = session.forward(
        ids, /*everyRow=*/false,
        [&](int64_t, std::span<const float> logits) { last = logits; });
    if (!ran)
      return std::unexpected(ran.error());
    return last;
  }

  Session &session;
  bool useKvCache;
  std::vector<int32_t> ids; // without the cache: the sequence so far
};

} // namespace

Result<Generation> generate(Session &session, std::span<const int32_t> prompt,
                            const GenerationOptions &options,
                            const std::function<void(int32_t)> &onToken) {
  auto chooser = TokenChooser::create(options, session.vocabSize(),
                                      prompt.size(), session.positions());
  if (!chooser)
    return std::unexpected(chooser.error());
  Continuation continuation(session, options.useKvCache);
  Generation &result = chooser->result;
  Stopwatch prefill;
  auto logits = continuation.start(prompt);
  result.prefillMs = prefill.elapsedMs();
  Stopwatch decode;
  bool goesOn = chooser->wantsTokens();
  while (logits && goesOn) {
    auto chosen = chooser->choose(*logits);
    if (!chosen)
      return std::unexpected(chosen.error());
    goesOn = *chosen;
    onToken(chooser->last());
    if (!goesOn)
      break;
    logits = continuation.append(chooser->last());
    ++result.numDecoded;
  }
  if (!logits)
    return std::unexpected(logits.error());
  result.decodeMs = decode.elapsedMs();
  return std::move(result);
}

} // namespace tandem
