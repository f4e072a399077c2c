#pragma once

#include "passes/proof/ValueTrace.h"
#include "runtime/Session.h"

#include <set>

namespace tandem {

/// While it lives, notes what a session's programs make: of every op of the
/// graph whose name a step has, the rows at some positions of the one sequence
/// that the session runs. Programs without positions, the heads, are passed
/// over: their rows are the logits that the session hands out.
class ProgramTrace {
public:
  ProgramTrace(Session &session, const TracedGraph &graph,
               const std::set<int64_t> &positions);
  ~ProgramTrace() { session.observe(nullptr); }
  ProgramTrace(const ProgramTrace &) = delete;
  ProgramTrace &operator=(const ProgramTrace &) = delete;

  const ValueTrace &values() const { return trace; }

private:
  void note(const StepRun &run);

  Session &session;
  const std::set<int64_t> &positions;
  std::map<std::string, const TracedOp *> ops;
  ValueTrace trace;
};

} // namespace tandem
