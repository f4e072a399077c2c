#include "passes/proof/OpNames.h"
#include "passes/SequenceAnalysis.h"
#include "passes/proof/ErrorBudget.h"

#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace tandem;

const TracedOp *TracedGraph::find(StringRef name) const {
  auto found = llvm::find_if(
      ops, [&](const TracedOp &op) { return StringRef(op.name) == name; });
  return found == ops.end() ? nullptr : &*found;
}

StringRef tandem::nameIn(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  return name ? name.getName().getValue() : "";
}

/// Where an op stands, and what it is: "h.0.attn", "matmul".
static std::pair<std::string, std::string> kindOf(Operation &op) {
  return {nameIn(op.getLoc()).str(), op.getName().stripDialect().str()};
}

static void giveNames(func::FuncOp model) {
  std::map<std::pair<std::string, std::string>, int> counts, seen;
  for (Operation &op : model.front())
    ++counts[kindOf(op)];
  for (Operation &op : model.front()) {
    if (!isa<ComputeOpInterface>(op))
      continue;
    auto kind = kindOf(op);
    auto [place, text] = kind;
    if (counts[kind] > 1)
      text += " " + std::to_string(++seen[kind]);
    if (!place.empty())
      text = place + " (" + text + ")";
    op.setLoc(NameLoc::get(StringAttr::get(op.getContext(), text)));
  }
}

static int64_t dimOf(Value value, int64_t dim, int64_t numTokens) {
  auto type = cast<ShapedType>(value.getType());
  dim = dim < 0 ? dim + type.getRank() : dim;
  return type.isDynamicDim(dim) ? numTokens : type.getDimSize(dim);
}

/// The roundings of one op: the length of its sums, mostly.
static double ownRoundings(Operation &op, int64_t numTokens) {
  return llvm::TypeSwitch<Operation *, double>(&op)
      .Case([&](MatmulOp op) { return dimOf(op.getLhs(), -1, numTokens); })
      .Case([&](LayerNormOp op) { // its mean and its variance
        return 2 * dimOf(op.getX(), -1, numTokens);
      })
      .Case([&](SoftmaxOp op) {
        return dimOf(op.getX(), -1, numTokens) + functionRoundings;
      })
      .Case([](ActivationOp) { return functionRoundings; })
      .Case<AddOp, MulOp, ScaleOp>([](Operation *) { return 1; })
      .Default([](Operation *) { return 0; });
}

/// What a narrow precision rounds in one op: the rows and the weight of a
/// product, and the table of an embedding, which may be a weight too.
static double ownNarrowings(Operation &op) {
  auto product = dyn_cast<MatmulOp>(op);
  if (product && isa_and_nonnull<WeightOp>(product.getRhs().getDefiningOp()))
    return 2;
  return isa<EmbeddingOp>(op) ? 1 : 0;
}

FailureOr<TracedGraph> tandem::nameOps(ModuleOp module, int64_t numTokens) {
  func::FuncOp model;
  for (auto function : module.getOps<func::FuncOp>())
    if (ProgramAttr program = getProgram(function);
        program && program.getPhase() == Phase::Model)
      model = function;
  if (!model || model.isExternal())
    return module.emitOpError(
        "programs: got no function of phase 'model', expected one");
  FailureOr<SequenceAnalysis> analysis = SequenceAnalysis::run(model);
  if (failed(analysis))
    return failure();
  giveNames(model);

  TracedGraph graph;
  llvm::DenseMap<Value, double> roundings, narrowings;
  for (Operation &op : model.front()) {
    if (!isa<ComputeOpInterface>(op))
      continue;
    Value result = op.getResult(0);
    double behind = 0, narrowBehind = 0;
    for (Value operand : op.getOperands()) {
      behind = std::max(behind, roundings.lookup(operand));
      narrowBehind = std::max(narrowBehind, narrowings.lookup(operand));
    }
    roundings[result] = behind + ownRoundings(op, numTokens);
    narrowings[result] = narrowBehind + ownNarrowings(op);
    RowDims dims = analysis->lookup(result);
    if (dims.row && !dims.key && !isa<ReshapeOp, TransposeOp, SliceOp>(op))
      graph.ops.push_back({nameIn(op.getLoc()).str(),
                           cast<ShapedType>(result.getType()).getRank(),
                           *dims.row, roundings[result], narrowings[result]});
  }
  Value logits = model.front().getTerminator()->getOperand(0);
  graph.vocabSize = dimOf(logits, -1, numTokens);
  if (auto head = logits.getDefiningOp<MatmulOp>()) {
    graph.logits = nameIn(head.getLoc());
    if (Operation *hidden = head.getLhs().getDefiningOp())
      graph.hidden = nameIn(hidden->getLoc());
  }
  return graph;
}
