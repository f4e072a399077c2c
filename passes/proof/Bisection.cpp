#include "passes/proof/Bisection.h"
#include "ir/Diagnostics.h"
#include "passes/Legality.h"
#include "passes/proof/ErrorBudget.h"

#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <random>

using namespace mlir;
using namespace tandem;

namespace {

/// The first error while it lives: where, and what.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
              !message.empty())
            return;
          op = nameIn(diagnostic.getLocation()).str();
          message = diagnostic.str();
        }) {}

  std::string op, message;

private:
  ScopedDiagnosticHandler handler;
};

int64_t positionsOf(ModuleOp imported) {
  int64_t positions = 0;
  for (auto function : imported.getOps<func::FuncOp>())
    if (ProgramAttr program = getProgram(function))
      positions = program.getPositions();
  return positions;
}

constexpr int64_t mostTokens = 6, decodeSteps = 2;

} // namespace

Bisection::Bisection(TracedGraph graph, WeightFinder weights, int64_t positions,
                     Precision precision)
    : graph(std::move(graph)), weights(std::move(weights)),
      positions(positions), numTokens(std::min(mostTokens, positions)),
      chunk(std::min<int64_t>(3, positions)), precision(precision) {}

Result<Bisection> Bisection::create(ModuleOp imported, WeightFinder weights,
                                    Precision precision) {
  DiagnosticText diagnostics(imported.getContext());
  int64_t positions = positionsOf(imported);
  FailureOr<TracedGraph> graph =
      nameOps(imported, std::min(mostTokens, positions));
  if (mlir::failed(graph))
    return diagnostics.failure();
  Bisection bisection(std::move(*graph), std::move(weights), positions,
                      precision);
  Said said = bisection.converse(imported);
  if (!said.failures.empty())
    return diagnostics.failure();
  bisection.expected = std::move(said.uncached);
  return bisection;
}

ProgramRows Bisection::rows() const {
  return {
      .prefill = {chunk}, .decode = {1}, .head = {1}, .forward = {numTokens}};
}

Bisection::Said Bisection::converse(ModuleOp module) const {
  Said said;
  ValueTrace *trace = &said.uncached;
  std::mt19937 random(7);
  Sequence sequence;
  for (int64_t n = 0; n < numTokens; ++n)
    sequence.tokens.push_back(static_cast<double>(random() % graph.vocabSize));
  // All tokens are in one block, the second of two.
  sequence.blocks.assign(llvm::divideCeil(positions, kvBlockSize), 0);
  sequence.blocks[0] = 1;
  Conversation conversation(
      {.module = module,
       .weights = weights,
       .sequences = {sequence},
       .vocabSize = graph.vocabSize,
       .positions = positions,
       .numCacheBlocks = 2,
       .record =
           [&](StringRef what, size_t, int64_t position, ArrayRef<double> row) {
             trace->set(what == "hidden"   ? StringRef(graph.hidden)
                        : what == "logits" ? StringRef(graph.logits)
                                           : what,
                        position, row.vec());
           },
       .graph = &graph});
  conversation.runModel(0);
  std::string forward = "forward_" + std::to_string(numTokens);
  if (auto hidden = conversation.forward(forward, 0, numTokens))
    conversation.head(0, numTokens - 1, *hidden, numTokens - 1, 1);
  trace = &said.cached;
  if (conversation.hasCache()) {
    conversation.spoilCache();
    int64_t prompt = std::max(numTokens - decodeSteps, int64_t{1});
    for (int64_t done = 0; done < prompt; done += chunk)
      conversation.prefill(0, chunk, std::min(chunk, prompt - done));
    for (int64_t done = prompt; done < numTokens; ++done)
      conversation.decode(1, {0});
  } else {
    conversation.prefill(0, chunk, chunk);
    conversation.reset(0);
    conversation.decode(1, {0});
  }
  said.failures = conversation.failures().vec();
  return said;
}

Bisection::PassCheck Bisection::check(ModuleOp module, StringRef pass) {
  PassCheck check = {.pass = pass.str(), .worst = {}, .fault = {}};
  FirstError error(module.getContext());
  bool isLegal = succeeded(verify(module)) &&
                 (!llvm::is_contained(passesWithLegality(), pass) ||
                  succeeded(checkLegalAfter(pass, module)));
  if (!isLegal) {
    check.fault = Fault{check.pass, error.op, error.message};
    return check;
  }
  Said said = converse(module);
  bool narrows = precision != Precision::F32 && pass == "choose-precision";
  Arithmetic arithmetic = {f64Roundoff, narrows ? precision : Precision::F32};
  std::vector<Deviation> deviations;
  for (const ValueTrace *got : {&said.uncached, &said.cached})
    llvm::append_range(deviations, compare(graph, *got, expected, arithmetic));
  std::ranges::stable_sort(deviations, {}, &Deviation::place);
  if (const Deviation *found = worst(deviations))
    check.worst = *found;
  if (check.worst && check.worst->isOver())
    check.fault = Fault{check.pass, check.worst->op, describe(*check.worst)};
  else if (!said.failures.empty())
    check.fault = Fault{check.pass, error.op,
                        said.failures.front() + ": " + error.message};
  if (narrows)
    expected = std::move(said.uncached);
  return check;
}

Result<std::optional<Fault>>
tandem::bisect(ModuleOp imported, PipelineOptions options, WeightFinder weights,
               llvm::function_ref<void(const Bisection::PassCheck &)> seen) {
  auto bisection =
      Bisection::create(imported, std::move(weights), options.precision);
  if (!bisection)
    return std::unexpected(bisection.error());
  options.rows = bisection->rows();
  std::optional<Fault> fault;
  auto ran = runPassByPass(imported, options, [&](StringRef pass) {
    Bisection::PassCheck check = bisection->check(imported, pass);
    seen(check);
    fault = check.fault;
    return !fault;
  });
  if (!ran)
    return std::unexpected(ran.error());
  return fault;
}
