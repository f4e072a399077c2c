#include "runtime/Generate.h"

#include <algorithm>
#include <chrono>
#include <optional>

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

using Clock = std::chrono::steady_clock;

double elapsedMs(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

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

/// Why the last of the new tokens is the last, if it is.
std::optional<Finish> finishAfter(std::span<const int32_t> ids,
                                  const GenerationOptions &options,
                                  bool isFull) {
  if (std::ranges::find(options.stopTokens, ids.back()) !=
      options.stopTokens.end())
    return Finish::Stop;
  if (static_cast<int64_t>(ids.size()) == options.numTokens)
    return Finish::Length;
  return isFull ? std::optional(Finish::Context) : std::nullopt;
}

} // namespace

Result<Generation> generate(Session &session, std::span<const int32_t> prompt,
                            const GenerationOptions &options,
                            const std::function<void(int32_t)> &onToken) {
  auto sampler = Sampler::create(options.sampling, session.vocabSize());
  if (!sampler)
    return std::unexpected(sampler.error());
  Continuation continuation(session, options.useKvCache);
  int64_t length = prompt.size(), positions = session.positions();
  Generation result;
  result.ids.reserve(std::clamp<int64_t>(options.numTokens, 0, positions + 1));
  Clock::time_point start = Clock::now();
  auto logits = continuation.start(prompt);
  result.prefillMs = elapsedMs(start);
  start = Clock::now();
  while (logits &&
         static_cast<int64_t>(result.ids.size()) < options.numTokens) {
    auto token = sampler->sample(*logits);
    if (!token)
      return std::unexpected(token.error());
    result.ids.push_back(*token);
    onToken(*token);
    if (auto finish = finishAfter(result.ids, options, length == positions)) {
      result.finish = *finish;
      break;
    }
    logits = continuation.append(*token);
    ++length;
    ++result.numDecoded;
  }
  if (!logits)
    return std::unexpected(logits.error());
  result.decodeMs = elapsedMs(start);
  return result;
}

} // namespace tandem
