#include "tools/Verification.h"

#include "runtime/Evaluate.h"
#include "runtime/WeightTypes.h"
#include "tools/BuildModule.h"
#include "tools/Command.h"
#include "tools/DerivedPrograms.h"
#include "tools/PrepareModel.h"
#include "tools/ProgramTrace.h"
#include "tools/RandomTokens.h"

#include <algorithm>

namespace tandem {

namespace {

constexpr ProgramUse everyProgram = {
    .cached = true, .uncached = true, .everyRow = true, .opNames = true};
constexpr int64_t mostDecodeSteps = 100;

/// What a run made.
struct Observed {
  std::vector<float> logits; // [rows, vocab]
  ValueTrace values;
};

/// Lengths that fill and that just miss each program of a kind, 1, and all
/// positions.
std::set<int64_t> lengths(const Session &session, ProgramKind kind) {
  std::set<int64_t> result = {1, session.positions()};
  for (const Program &program : session.model().programs)
    for (int64_t length : {program.rows - 1, program.rows})
      if (program.kind == kind && length >= 1 && length <= session.positions())
        result.insert(length);
  return result;
}

/// The names of the imported graph's ops, which every program is made with.
Result<TracedGraph> traceGraph(const ModelOptions &options) {
  auto built = buildModule(options, everyProgram, Stage::Imported);
  if (!built)
    return std::unexpected(built.error());
  return std::move(*built->tracedGraph);
}

/// The sessions of one model, and all comparisons of what they make.
class Verifier {
public:
  using Progress = std::function<void(const std::string &)>;

  /// `described`: what eager runs, which is `options` but for programs that
  /// were derived before.
  Verifier(const ModelOptions &options, const ModelOptions &described,
           TracedGraph graph, const Progress &progress)
      : options(options), described(described), graph(std::move(graph)),
        progress(progress) {}

  Result<std::vector<VerifyCheck>> run();

private:
  Result<std::unique_ptr<Session>> start(Mode mode);
  void choosePositions();
  Result<Observed> observe(const std::string &name, Session &session,
                           int64_t length, Via via);
  Result<Observed> checkedRun(const std::string &name, Session &session,
                              int64_t length, Via via);
  Result<void> checkLengths(const char *name, Session &session, Via via,
                            const std::set<int64_t> &lengths);
  Result<void> checkDecode();

  const ModelOptions &options, &described;
  TracedGraph graph;
  const Progress &progress;
  std::unique_ptr<Session> eager, compiled;
  std::vector<int32_t> ids;
  std::set<int64_t> prefillLengths, forwardLengths;
  std::set<int64_t> positions; // whose rows are compared op by op
  int64_t decodeSteps = 0;
  Observed reference; // eager, without a cache
  std::vector<VerifyCheck> checks;
};

Arithmetic arithmeticOf(const Session &session) {
  return {f32Roundoff, precisionOf(session.model())};
}

Result<std::unique_ptr<Session>> Verifier::start(Mode mode) {
  ModelOptions own = mode == Mode::Eager ? described : options;
  own.mode = mode;
  if (mode == Mode::Eager)
    own.precision.reset(); // every precision is compared with f32
  auto model = prepareModel(own, everyProgram);
  if (!model)
    return std::unexpected(model.error());
  return startSession(*model, own, everyProgram);
}

/// The first few, and the last of every run: as much as fits into memory of a
/// large model too.
void Verifier::choosePositions() {
  positions = {0, 1, 2, 3, decodeSteps - 1};
  for (const auto *lengths : {&prefillLengths, &forwardLengths})
    for (int64_t length : *lengths)
      positions.insert(length - 1);
}

Result<Observed> Verifier::observe(const std::string &name, Session &session,
                                   int64_t length, Via via) {
  progress(name);
  Observed observed;
  ProgramTrace trace(session, graph, positions);
  auto ran = evaluate(session, std::span(ids).first(length), via,
                      [&](int64_t, std::span<const float> rows) {
                        observed.logits.insert(observed.logits.end(),
                                               rows.begin(), rows.end());
                      });
  bool isWhole = std::ssize(observed.logits) == length * session.vocabSize();
  if (!ran && !isWhole) // if whole, some are no numbers: a matter of checks
    return failure("{}: {}", name, ran.error().message);
  if (!isWhole)
    return failure("{}: got {} logits, expected {}", name,
                   observed.logits.size(), length * session.vocabSize());
  observed.values = trace.values();
  return observed;
}

/// Runs, and compares with the reference.
Result<Observed> Verifier::checkedRun(const std::string &name, Session &session,
                                      int64_t length, Via via) {
  auto got = observe(name, session, length, via);
  if (!got)
    return got;
  Comparison comparison = {graph, arithmeticOf(session)};
  checks.push_back(comparison.logits(name, got->logits, reference.logits));
  checks.push_back(comparison.ops(name, got->values, reference.values));
  return got;
}

Result<void> Verifier::checkLengths(const char *name, Session &session, Via via,
                                    const std::set<int64_t> &lengths) {
  for (int64_t length : lengths)
    if (auto ran = checkedRun(fmt::format("{} of {} tokens", name, length),
                              session, length, via);
        !ran)
      return std::unexpected(ran.error());
  return {};
}

Result<void> Verifier::checkDecode() {
  std::string steps = fmt::format("{} tokens", decodeSteps);
  if (auto ran = checkedRun("eager decode of " + steps, *eager, decodeSteps,
                            Via::Decode);
      !ran)
    return std::unexpected(ran.error());
  auto decoded = checkedRun("compiled decode of " + steps, *compiled,
                            decodeSteps, Via::Decode);
  if (!decoded)
    return std::unexpected(decoded.error());
  auto prefilled = observe("compiled prefill of " + steps, *compiled,
                           decodeSteps, Via::Prefill);
  if (!prefilled)
    return std::unexpected(prefilled.error());
  Comparison comparison = {graph, arithmeticOf(*compiled)};
  checks.push_back(comparison.ops("compiled decode against prefill of " + steps,
                                  decoded->values, prefilled->values));
  return {};
}

Result<std::vector<VerifyCheck>> Verifier::run() {
  progress("compiling");
  for (Mode mode : {Mode::Eager, Mode::Compiled}) {
    auto session = start(mode);
    if (!session)
      return std::unexpected(session.error());
    (mode == Mode::Eager ? eager : compiled) = std::move(*session);
  }
  int64_t longest = eager->positions();
  ids = randomTokens(longest, eager->vocabSize());
  prefillLengths = lengths(*compiled, ProgramKind::Prefill);
  forwardLengths = lengths(*compiled, ProgramKind::Forward);
  decodeSteps = std::min(longest, mostDecodeSteps);
  choosePositions();
  auto expected = observe("eager forward", *eager, longest, Via::Forward);
  if (!expected)
    return std::unexpected(expected.error());
  reference = std::move(*expected);
  struct Way {
    const char *name;
    Session &session;
    Via via;
    const std::set<int64_t> &lengths;
  };
  for (const Way &way :
       {Way{"eager prefill", *eager, Via::Prefill, prefillLengths},
        Way{"compiled forward", *compiled, Via::Forward, forwardLengths},
        Way{"compiled prefill", *compiled, Via::Prefill, prefillLengths}})
    if (auto done = checkLengths(way.name, way.session, way.via, way.lengths);
        !done)
      return std::unexpected(done.error());
  if (auto done = checkDecode(); !done)
    return std::unexpected(done.error());
  return std::move(checks);
}

} // namespace

Result<std::vector<VerifyCheck>>
verifyPrograms(const ModelOptions &options,
               const std::function<void(const std::string &)> &progress) {
  auto described = describedModel(options);
  if (!described)
    return std::unexpected(described.error());
  auto graph = traceGraph(*described);
  if (!graph)
    return std::unexpected(graph.error());
  return Verifier(options, *described, std::move(*graph), progress).run();
}

} // namespace tandem
