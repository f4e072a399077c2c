#include "runtime/GenerateEach.h"

#include "runtime/Stopwatch.h"
#include "runtime/TokenChooser.h"

#include <optional>

namespace tandem {

namespace {

/// Holds back what is done until all before it is done.
class InOrder {
public:
  InOrder(size_t count, const GenerationSink &sink)
      : waiting(count), sink(sink) {}

  Result<void> add(size_t index, Generation generation) {
    waiting[index] = std::move(generation);
    for (; next < waiting.size() && waiting[next]; ++next) {
      if (auto taken = sink(next, *waiting[next]); !taken)
        return taken;
      waiting[next].reset();
    }
    return {};
  }

private:
  std::vector<std::optional<Generation>> waiting;
  size_t next = 0;
  const GenerationSink &sink;
};

/// Sequences of a session that grow together.
class Group {
public:
  Group(Session &session, std::span<const std::vector<int32_t>> prompts,
        const GenerationOptions &options, const GenerationSink &onDone)
      : session(session), prompts(prompts), options(options),
        done(prompts.size(), onDone), places(session.numSequences()) {
    rows.reserve(places.size());
  }

  Result<void> run() {
    while (true) {
      if (auto filled = fillPlaces(); !filled)
        return filled;
      if (rows.empty())
        return {};
      if (auto stepped = step(); !stepped)
        return stepped;
    }
  }

private:
  /// A sequence of the session, and the prompt that grows in it.
  struct Place {
    size_t prompt = 0;
    std::optional<TokenChooser> chooser; // none: the place is free
  };

  /// Prefills prompts into free places; leaves the next step's rows.
  Result<void> fillPlaces() {
    rows.clear();
    for (size_t i = 0; i < places.size(); ++i) {
      while (!places[i].chooser && next < prompts.size())
        if (auto begun = begin(i, next++); !begun)
          return begun;
      if (places[i].chooser)
        rows.push_back({static_cast<int64_t>(i), places[i].chooser->last()});
    }
    return {};
  }

  Result<void> begin(size_t sequence, size_t prompt) {
    auto chooser =
        TokenChooser::create(options, session.vocabSize(),
                             prompts[prompt].size(), session.positions());
    if (!chooser)
      return std::unexpected(chooser.error());
    session.reset(static_cast<int64_t>(sequence));
    Stopwatch watch;
    auto logits =
        session.prefill(static_cast<int64_t>(sequence), prompts[prompt]);
    chooser->result.prefillMs = watch.elapsedMs();
    if (!logits)
      return std::unexpected(logits.error());
    Place &place = places[sequence];
    place.prompt = prompt;
    place.chooser = std::move(*chooser);
    if (!place.chooser->wantsTokens())
      return end(place);
    return choose(place, *logits);
  }

  /// One token more for every sequence that is not done.
  Result<void> step() {
    Stopwatch watch;
    auto logits = session.decode(rows);
    if (!logits)
      return std::unexpected(logits.error());
    double elapsedMs = watch.elapsedMs();
    size_t vocab = session.vocabSize();
    for (size_t i = 0; i < rows.size(); ++i) {
      Place &place = places[rows[i].sequence];
      place.chooser->result.decodeMs += elapsedMs;
      ++place.chooser->result.numDecoded;
      if (auto chosen = choose(place, logits->subspan(i * vocab, vocab));
          !chosen)
        return chosen;
    }
    return {};
  }

  Result<void> choose(Place &place, std::span<const float> logits) {
    auto goesOn = place.chooser->choose(logits);
    if (!goesOn)
      return std::unexpected(goesOn.error());
    return *goesOn ? Result<void>() : end(place);
  }

  Result<void> end(Place &place) {
    Generation generation = std::move(place.chooser->result);
    place.chooser.reset();
    return done.add(place.prompt, std::move(generation));
  }

  Session &session;
  std::span<const std::vector<int32_t>> prompts;
  const GenerationOptions &options;
  InOrder done;
  std::vector<Place> places; // by sequence
  std::vector<Session::DecodeRow> rows;
  size_t next = 0; // the prompt that no place has had yet
};

} // namespace

Result<void> generateEach(Session &session,
                          std::span<const std::vector<int32_t>> prompts,
                          const GenerationOptions &options,
                          const GenerationSink &onDone) {
  if (options.useKvCache)
    return Group(session, prompts, options, onDone).run();
  for (size_t i = 0; i < prompts.size(); ++i) {
    auto generation = generate(session, prompts[i], options, [](int32_t) {});
    if (!generation)
      return std::unexpected(generation.error());
    if (auto taken = onDone(i, *generation); !taken)
      return taken;
  }
  return {};
}

} // namespace tandem
