// In compiled mode the most bytes in use are the bytes of the plan: for every
// program, every bucket and every number of sequences.

#include "tests/unit/certificate/SmallModel.h"
#include "tools/PrepareModel.h"

#include <algorithm>
#include <set>

namespace tandem {
namespace {

constexpr auto ignore = [](int64_t, std::span<const float>) {};

class MemoryCertificate : public SmallModel {
protected:
  /// Prompts that take every prefill bucket, decode steps of every number of
  /// rows, texts that take every forward program; then looks at the memory.
  void runAll(Session &session, const ProgramUse &use) {
    if (use.cached) {
      for (int64_t length : {5, 8, 16, 40, 48})
        prefill(session, length, use.everyRow);
      for (int64_t rows = 1; rows <= session.numSequences(); ++rows)
        decode(session, rows);
    }
    if (use.uncached)
      for (int64_t length : {7, 17, 30, 48, 64}) {
        ASSERT_TRUE(session.forward(tokens(length, 3), use.everyRow, ignore));
      }
  }

  void prefill(Session &session, int64_t length, bool everyRow) {
    for (int64_t s = 0; s < session.numSequences(); ++s) {
      session.reset(s);
      ASSERT_TRUE(session.prefill(s, tokens(length, s)));
      session.reset(s);
      if (everyRow) {
        ASSERT_TRUE(session.prefillAllLogits(s, tokens(length, s), ignore));
      }
    }
  }

  void decode(Session &session, int64_t numRows) {
    std::vector<Session::DecodeRow> rows;
    for (int64_t s = 0; s < numRows; ++s)
      rows.push_back({s, static_cast<int32_t>(s)});
    ASSERT_TRUE(session.decode(rows));
  }

  static void expectAsPlanned(const Session &session, const std::string &what) {
    EXPECT_EQ(session.peakBytes(), session.plannedBytes()) << what;
  }
};

std::set<std::string> programsOf(const Executable &executable) {
  std::set<std::string> names;
  for (const Program &program : executable.programs)
    names.insert(program.name);
  return names;
}

} // namespace

TEST_F(MemoryCertificate, HoldsForEveryNumberOfSequences) {
  ProgramUse cached = {.cached = true},
             uncached = {.cached = false, .uncached = true};
  for (int64_t numSequences = 1; numSequences <= 8; ++numSequences)
    for (const ProgramUse &use : {everyUse, cached, uncached}) {
      auto session = start(numSequences, use);
      std::set<std::string> run;
      session->observe(
          [&](const StepRun &step) { run.insert(step.program.name); });
      runAll(*session, use);
      EXPECT_EQ(run, programsOf(session->model()));
      expectAsPlanned(*session, fmt::format("{} sequences", numSequences));
    }
}

// A session of one program, and a head for its hidden rows, takes no more than
// that program needs.
TEST_F(MemoryCertificate, HoldsForEveryProgramAlone) {
  size_t numPrograms = compile(8, everyUse).executable->programs.size();
  std::set<ProgramKind> kinds;
  for (size_t i = 0; i < numPrograms; ++i) {
    Model model = compile(8, everyUse);
    Program program = model.executable->programs[i];
    auto alone = std::make_shared<Executable>(*model.executable);
    std::erase_if(alone->programs, [&](const Program &other) {
      return other.kind != ProgramKind::Head && other.name != program.name;
    });
    model.executable = alone;
    auto session = startSession(model, options, everyUse);
    ASSERT_TRUE(session) << session.error().message;
    if (program.kind == ProgramKind::Prefill)
      prefill(**session, program.rows, true);
    if (program.kind == ProgramKind::Decode)
      decode(**session, std::min<int64_t>(program.rows, 8));
    if (program.kind == ProgramKind::Forward) {
      ASSERT_TRUE((*session)->forward(tokens(program.rows, 4), true, ignore));
    }
    expectAsPlanned(**session, program.name);
    kinds.insert(program.kind);
  }
  EXPECT_EQ(kinds.size(), 4U);
}

// What is counted is what is asked for: a byte more than planned is seen.
TEST_F(MemoryCertificate, SeesWhatIsNotPlanned) {
  Model model = compile(1, everyUse);
  auto memory = model.memory;
  auto session = startSession(model, options, everyUse);
  ASSERT_TRUE(session);
  auto more = Buffer::allocate(*memory, 1, "more");
  EXPECT_EQ((*session)->peakBytes(), (*session)->plannedBytes() + 1);
}

TEST_F(MemoryCertificate, RefusesALimitBelowThePlan) {
  int64_t before = 0;
  for (int64_t numSequences = 1; numSequences <= 8; ++numSequences) {
    options.memoryLimit.reset();
    int64_t planned = start(numSequences, everyUse)->plannedBytes();
    EXPECT_GT(planned, before);
    before = planned;
    options.memoryLimit = planned;
    start(numSequences, everyUse);
    options.memoryLimit = planned - 1;
    auto refused = prepareModel(options, everyUse);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              fmt::format("memory: got a plan of {} bytes, expected at most {}",
                          planned, planned - 1));
  }
}

} // namespace tandem
