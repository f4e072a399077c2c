#include "passes/Passes.h"
#include "passes/SequenceAnalysis.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"

namespace tandem {
#define GEN_PASS_DEF_SPECIALIZEPHASES
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

/// The model, and where its head begins.
struct Model {
  func::FuncOp function;
  Value hidden; // what the last matmul reads
  Value logits; // what it makes
};

/// A named value: an argument to give or a result to make.
struct Port {
  StringRef name;
  Type type;   // of an argument
  Value value; // in the model; null for an argument that the model lacks
};

FailureOr<Model> findModel(ModuleOp module) {
  Model model;
  for (auto function : module.getOps<func::FuncOp>()) {
    ProgramAttr program = getProgram(function);
    if (!program || program.getPhase() != Phase::Model)
      continue;
    if (model.function)
      return function.emitOpError("phase: got a second model, expected one");
    model.function = function;
  }
  if (model.function && model.function.isExternal())
    return model.function.emitOpError("body: got none, expected the model");
  if (model.function)
    for (BlockArgument argument : model.function.getArguments())
      if (argument != findArgument(model.function, "tokens") &&
          argument != findArgument(model.function, "positions"))
        return model.function.emitOpError("argument ")
               << argument.getArgNumber()
               << ": got another name, expected tokens and positions alone";
  if (!model.function)
    return module.emitOpError(
        "programs: got no function of phase 'model', expected one");
  auto end = cast<func::ReturnOp>(model.function.front().getTerminator());
  if (end.getNumOperands() != 1)
    return end.emitOpError("results: got ")
           << end.getNumOperands() << ", expected the logits alone";
  model.logits = end.getOperand(0);
  auto head = model.logits.getDefiningOp<MatmulOp>();
  if (!head || !head.getRhs().getDefiningOp<WeightOp>())
    return end.emitOpError("result: got a value that no matmul by a weight "
                           "makes, expected logits");
  model.hidden = head.getLhs();
  return model;
}

/// "decode_4", or "forward_any" where the number of rows stays open.
std::string programName(Phase phase, int64_t rows) {
  return (stringifyPhase(phase) + "_" +
          (ShapedType::isDynamic(rows) ? "any" : std::to_string(rows)))
      .str();
}

/// Clones the ops that `results` need into a new function whose arguments
/// stand for `arguments`, with result types inferred anew.
class ProgramWriter {
public:
  ProgramWriter(ModuleOp module, Model model)
      : builder(module.getBodyRegion()), model(model) {
    builder.setInsertionPointToEnd(module.getBody());
  }

  LogicalResult write(StringRef name, Phase phase, ArrayRef<Port> arguments,
                      ArrayRef<Port> results) {
    SmallVector<Type> types;
    for (const Port &port : arguments)
      types.push_back(port.type);
    auto function = builder.create<func::FuncOp>(
        model.function.getLoc(), name, builder.getFunctionType(types, {}));
    function->setAttr(
        programAttrName,
        ProgramAttr::get(builder.getContext(), phase,
                         getProgram(model.function).getPositions()));
    OpBuilder body = OpBuilder::atBlockBegin(function.addEntryBlock());
    IRMapping mapping;
    for (auto [i, port] : llvm::enumerate(arguments)) {
      function.setArgAttr(i, argumentNameAttrName,
                          builder.getStringAttr(port.name));
      if (port.value)
        mapping.map(port.value, function.getArgument(i));
    }
    if (failed(cloneNeeded(body, mapping, results)))
      return failure();
    finish(function, body, mapping, results);
    return success();
  }

private:
  LogicalResult cloneNeeded(OpBuilder &body, IRMapping &mapping,
                            ArrayRef<Port> results) {
    SetVector<Operation *> needed;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [&](Operation *op) {
      return llvm::none_of(op->getResults(),
                           [&](Value v) { return mapping.contains(v); });
    };
    for (const Port &port : results)
      getBackwardSlice(port.value.getDefiningOp(), &needed, options);
    for (Operation &op : model.function.front()) {
      if (!needed.contains(&op))
        continue;
      if (failed(updateResultTypes(body.clone(op, mapping))))
        return failure();
    }
    return success();
  }

  void finish(func::FuncOp function, OpBuilder &body, IRMapping &mapping,
              ArrayRef<Port> results) {
    SmallVector<Value> values;
    for (const Port &port : results)
      values.push_back(mapping.lookup(port.value));
    body.create<func::ReturnOp>(function.getLoc(), values);
    function.setFunctionType(builder.getFunctionType(
        function.getArgumentTypes(), ValueRange(values).getTypes()));
    for (auto [i, port] : llvm::enumerate(results))
      function.setResultAttr(i, argumentNameAttrName,
                             builder.getStringAttr(port.name));
  }

  OpBuilder builder;
  Model model;
};

struct SpecializePhases : tandem::impl::SpecializePhasesBase<SpecializePhases> {
  using SpecializePhasesBase::SpecializePhasesBase;

  void runOnOperation() override {
    FailureOr<Model> model = findModel(getOperation());
    if (failed(model) || failed(SequenceAnalysis::run(model->function)))
      return signalPassFailure();
    if (failed(checkRows()))
      return signalPassFailure();
    bool failedAny = false;
    auto orOpen = [](int64_t rows) {
      return rows == -1 ? ShapedType::kDynamic : rows;
    };
    for (int64_t rows : prefill)
      failedAny |= failed(writeCached(*model, Phase::Prefill, rows, 1));
    for (int64_t rows : decode)
      failedAny |= failed(writeCached(*model, Phase::Decode, rows, rows));
    for (int64_t rows : head)
      failedAny |= failed(writeHead(*model, rows));
    for (int64_t rows : forward)
      failedAny |= failed(writeForward(*model, orOpen(rows)));
    if (failedAny)
      return signalPassFailure();
    model->function.erase();
    int64_t written =
        prefill.size() + decode.size() + head.size() + forward.size();
    count({{"programs written", written}});
  }

  LogicalResult checkRows() {
    SmallVector<int64_t> sizes;
    for (ArrayRef<int64_t> list :
         {ArrayRef<int64_t>(prefill), ArrayRef<int64_t>(decode),
          ArrayRef<int64_t>(head)})
      llvm::append_range(sizes, list);
    llvm::copy_if(forward, std::back_inserter(sizes),
                  [](int64_t rows) { return rows != -1; });
    for (int64_t rows : sizes)
      if (rows < 1)
        return getOperation().emitError("rows: got ")
               << rows << ", expected 1 or more";
    return success();
  }

  RankedTensorType ids(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, IntegerType::get(&getContext(), 32));
  }

  Port modelArgument(const Model &model, StringRef name, int64_t rows) {
    return {name, ids(rows), findArgument(model.function, name)};
  }

  LogicalResult writeCached(const Model &model, Phase phase, int64_t rows,
                            int64_t sequences) {
    int64_t blocks = llvm::divideCeil(getProgram(model.function).getPositions(),
                                      kvBlockSize);
    Port arguments[] = {modelArgument(model, "tokens", rows),
                        modelArgument(model, "positions", rows),
                        {"sequences", ids(rows), {}},
                        {"block_tables", ids({sequences, blocks}), {}},
                        {"valid", ids(1), {}}};
    SmallVector<Port> results = {{"hidden", {}, model.hidden}};
    if (phase == Phase::Decode)
      results.push_back({"logits", {}, model.logits});
    return ProgramWriter(getOperation(), model)
        .write(programName(phase, rows), phase, arguments, results);
  }

  LogicalResult writeHead(const Model &model, int64_t rows) {
    auto hidden = cast<RankedTensorType>(model.hidden.getType());
    Port argument = {"hidden",
                     RankedTensorType::get({rows, hidden.getShape()[1]},
                                           hidden.getElementType()),
                     model.hidden};
    return ProgramWriter(getOperation(), model)
        .write(programName(Phase::Head, rows), Phase::Head, argument,
               Port{"logits", {}, model.logits});
  }

  LogicalResult writeForward(const Model &model, int64_t rows) {
    Port arguments[] = {modelArgument(model, "tokens", rows),
                        modelArgument(model, "positions", rows)};
    return ProgramWriter(getOperation(), model)
        .write(programName(Phase::Forward, rows), Phase::Forward, arguments,
               Port{"hidden", {}, model.hidden});
  }
};

} // namespace
