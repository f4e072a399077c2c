#include "backend/lowering/Summarize.h"

#include "ir/Tandem.h"

using namespace mlir;
using namespace tandem;

/// The shape of a compute op's first result or destination.
static ArrayRef<int64_t> madeBy(Operation *op) {
  auto destinations = cast<ComputeOpInterface>(op).getDestinations();
  mlir::Value made = destinations.empty() ? op->getResult(0) : destinations[0];
  return cast<ShapedType>(made.getType()).getShape();
}

/// Columns of an argument or result of this name: those of `hidden` are the
/// embedding's, those of `logits` the vocabulary.
static int64_t columnsOf(func::FuncOp function, StringRef name) {
  auto columns = [&](mlir::Attribute attribute, Type type) -> int64_t {
    auto shaped = dyn_cast<ShapedType>(type);
    auto text = dyn_cast_or_null<StringAttr>(attribute);
    return text && text.getValue() == name && shaped && shaped.getRank() == 2
               ? shaped.getDimSize(1)
               : 0;
  };
  int64_t most = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    most = std::max(most, columns(function.getArgAttr(i, argumentNameAttrName),
                                  function.getArgumentTypes()[i]));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    most =
        std::max(most, columns(function.getResultAttr(i, argumentNameAttrName),
                               function.getResultTypes()[i]));
  return most;
}

namespace {

/// Layers and heads, as one program shows them.
struct Attentions {
  int64_t layers = 0, heads = 0;
};

} // namespace

/// Counts attentions, fused or as the softmax of scores [heads, rows, rows]; a
/// cache says it itself.
static Attentions attentionsOf(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (auto cache = dyn_cast<KvCacheType>(type))
      return {cache.getLayers(), cache.getHeads()};
  Attentions found;
  function.walk([&](Operation *op) {
    if (auto attention = dyn_cast<AttentionOp>(op)) {
      ++found.layers;
      found.heads = attention.getHeads();
    } else if (isa<SoftmaxOp>(op) && madeBy(op).size() == 3) {
      ++found.layers;
      found.heads = madeBy(op)[0];
    }
  });
  return found;
}

/// The widest row that an activation makes: the MLP's hidden layer.
static int64_t innerOf(func::FuncOp function) {
  int64_t widest = 0;
  function.walk([&](Operation *op) {
    auto linear = dyn_cast<LinearOp>(op);
    if (isa<ActivationOp>(op) || (linear && linear.getActivation()))
      if (ArrayRef<int64_t> shape = madeBy(op); !shape.empty())
        widest = std::max(widest, shape.back());
  });
  return widest;
}

ModelSummary tandem::summarize(ModuleOp module) {
  ModelSummary summary;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (ProgramAttr program = getProgram(function))
      summary.positions = std::max(summary.positions, program.getPositions());
    summary.vocabSize =
        std::max(summary.vocabSize, columnsOf(function, "logits"));
    summary.embed = std::max(summary.embed, columnsOf(function, "hidden"));
    summary.inner = std::max(summary.inner, innerOf(function));
    Attentions attentions = attentionsOf(function);
    summary.layers = std::max(summary.layers, attentions.layers);
    summary.heads = std::max(summary.heads, attentions.heads);
  }
  for (auto parameter : module.getOps<ParameterOp>())
    if (parameter.getPartRefs().empty()) // else its parts count
      summary.parameters +=
          cast<ShapedType>(parameter.getType()).getNumElements();
  if (auto tokens = module->getAttrOfType<DenseI64ArrayAttr>(eosTokensAttrName))
    summary.eosTokens = tokens.asArrayRef().vec();
  return summary;
}
