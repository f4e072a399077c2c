#include "passes/SequenceAnalysis.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tandem;

using Mask = RowDims::Mask;

static int64_t rankOf(Value value) {
  return cast<ShapedType>(value.getType()).getRank();
}

static InFlightDiagnostic refuse(Operation *op) {
  return op->emitOpError("mixes positions other than causally: ");
}

Value tandem::findArgument(func::FuncOp function, StringRef name) {
  for (BlockArgument argument : function.getArguments()) {
    auto attribute = function.getArgAttrOfType<StringAttr>(
        argument.getArgNumber(), argumentNameAttrName);
    if (attribute && attribute.getValue() == name)
      return argument;
  }
  return {};
}

FailureOr<SequenceAnalysis> SequenceAnalysis::run(func::FuncOp function) {
  SequenceAnalysis analysis;
  analysis.positions = findArgument(function, "positions");
  for (StringRef name : {"tokens", "positions"})
    if (Value argument = findArgument(function, name))
      analysis.dims[argument].row = 0;
  for (Operation &op : function.getBody().front())
    if (failed(analysis.visit(op)))
      return failure();
  return analysis;
}

LogicalResult SequenceAnalysis::visit(Operation &op) {
  FailureOr<RowDims> result = dimsOf(op);
  if (failed(result))
    return failure();
  if (op.getNumResults() != 1)
    return success();
  dims[op.getResult(0)] = *result;
  if (result->key && op.getNumOperands() && !isa<MatmulOp>(op))
    for (Value operand : op.getOperands())
      if (MatmulOp scores = scoresBehind.lookup(operand))
        scoresBehind[op.getResult(0)] = scores;
  return success();
}

FailureOr<RowDims> SequenceAnalysis::dimsOf(Operation &op) {
  return TypeSwitch<Operation *, FailureOr<RowDims>>(&op)
      // What the cache holds is of any sequence: it has no rows.
      .Case<WeightOp, KvAppendOp, KvReadOp>([](auto) { return RowDims{}; })
      .Case<EmbeddingOp, LayerNormOp, MatmulOp, ScaleOp, ActivationOp,
            CausalMaskOp, SoftmaxOp, ReshapeOp, TransposeOp, SliceOp,
            func::ReturnOp>([&](auto op) { return visit(op); })
      .Case([&](AddOp op) { return visitBinary(*op, /*isSum=*/true); })
      .Case([&](MulOp op) { return visitBinary(*op, /*isSum=*/false); })
      .Default([](Operation *op) -> FailureOr<RowDims> {
        return refuse(op) << "the op is not known to the analysis";
      });
}

FailureOr<RowDims> SequenceAnalysis::visit(EmbeddingOp op) {
  if (lookup(op.getTable()).row)
    return refuse(op) << "its table depends on tokens";
  return lookup(op.getIds());
}

FailureOr<RowDims> SequenceAnalysis::visit(LayerNormOp op) {
  if (lookup(op.getX()).row == 1)
    return refuse(op) << "it normalises over the rows";
  return lookup(op.getX());
}

FailureOr<RowDims> SequenceAnalysis::visit(ScaleOp op) {
  RowDims x = lookup(op.getX());
  if (op.getFactor().convertToDouble() <= 0 && x.mask == Mask::Infinite)
    x.mask = Mask::None;
  return x;
}

FailureOr<RowDims> SequenceAnalysis::visit(ActivationOp op) {
  RowDims x = lookup(op.getX());
  x.mask = Mask::None;
  return x;
}

FailureOr<RowDims> SequenceAnalysis::visit(CausalMaskOp op) {
  RowDims x = lookup(op.getScores());
  int64_t last = rankOf(op.getScores()) - 1;
  if (x.row == last)
    return refuse(op) << "its columns are the rows";
  if (op.getPositions() != positions)
    return refuse(op) << "its positions are not the argument 'positions'";
  if (x.key == last)
    x.mask = Mask::Infinite;
  return x;
}

FailureOr<RowDims> SequenceAnalysis::visit(SoftmaxOp op) {
  RowDims x = lookup(op.getX());
  int64_t last = rankOf(op.getX()) - 1;
  if (x.row == last || (x.key == last && x.mask != Mask::Infinite))
    return refuse(op) << "it sums over rows that no causal_mask hides";
  x.mask = x.key == last ? Mask::Zero : Mask::None;
  return x;
}

FailureOr<RowDims> SequenceAnalysis::visit(MatmulOp op) {
  RowDims lhs = lookup(op.getLhs()), rhs = lookup(op.getRhs());
  int64_t lhsLast = rankOf(op.getLhs()) - 1, rhsLast = rankOf(op.getRhs()) - 1;
  int64_t contracted = op.getTransposeRhs() ? rhsLast : rhsLast - 1;
  int64_t columns = op.getTransposeRhs() ? rhsLast - 1 : rhsLast;
  if (rhs.key || lhs.row == lhsLast)
    return refuse(op) << "it contracts the rows";
  if (lhs.key == lhsLast) { // context: sums over the rows attended to
    if (lhs.mask != Mask::Zero || rhs.row != contracted)
      return refuse(op) << "it sums over rows that no causal_mask hides";
    if (MatmulOp scores = scoresBehind.lookup(op.getLhs()))
      sites.push_back({scores, op});
    return RowDims{lhs.row, std::nullopt, Mask::None};
  }
  if (lhs.key || rhs.row == contracted)
    return refuse(op) << "it contracts the rows";
  if (rhs.row == columns) { // scores: pairs rows with rows
    if (!lhs.row)
      return refuse(op) << "its columns are rows and its rows are not";
    scoresBehind[op->getResult(0)] = op;
    return RowDims{lhs.row, lhsLast, Mask::None};
  }
  if (rhs.row && rhs.row != lhs.row)
    return refuse(op) << "its operands' rows do not meet";
  return RowDims{lhs.row, std::nullopt, Mask::None};
}

FailureOr<RowDims> SequenceAnalysis::visitBinary(Operation &op, bool isSum) {
  RowDims lhs = lookup(op.getOperand(0)), rhs = lookup(op.getOperand(1));
  int64_t shift = rankOf(op.getOperand(0)) - rankOf(op.getOperand(1));
  if (rhs.row)
    *rhs.row += shift;
  if (rhs.key)
    *rhs.key += shift;
  auto clash = [](auto a, auto b) { return a && b && a != b; };
  if (clash(lhs.row, rhs.row) || clash(lhs.key, rhs.key) ||
      (lhs.row && lhs.row == rhs.key) || (rhs.row && rhs.row == lhs.key))
    return refuse(&op) << "its operands' rows do not meet";
  RowDims result;
  result.row = lhs.row ? lhs.row : rhs.row;
  result.key = lhs.key ? lhs.key : rhs.key;
  Mask kept = isSum ? Mask::Infinite : Mask::Zero; // -inf + x, 0 * x
  if (lhs.mask == kept || rhs.mask == kept)
    result.mask = kept;
  return result;
}

/// The dimension of `to` that lies where dimension `dim` of `from` does: as
/// many elements before it, and of the same size.
static std::optional<int64_t> follow(ArrayRef<int64_t> from, int64_t dim,
                                     ArrayRef<int64_t> to) {
  auto product = [](ArrayRef<int64_t> sizes) {
    int64_t result = 1;
    for (int64_t size : sizes)
      result = ShapedType::isDynamic(size) || ShapedType::isDynamic(result)
                   ? ShapedType::kDynamic
                   : result * size;
    return result;
  };
  for (int64_t i = 0; i < static_cast<int64_t>(to.size()); ++i)
    if (to[i] == from[dim] &&
        product(to.take_front(i)) == product(from.take_front(dim)))
      return i;
  return std::nullopt;
}

FailureOr<RowDims> SequenceAnalysis::visit(ReshapeOp op) {
  RowDims x = lookup(op.getX()), result;
  ArrayRef<int64_t> from = cast<ShapedType>(op.getX().getType()).getShape();
  ArrayRef<int64_t> to =
      cast<ShapedType>(op->getResult(0).getType()).getShape();
  result.mask = x.mask;
  if (x.row && !(result.row = follow(from, *x.row, to)))
    return refuse(op) << "it merges or splits the rows";
  if (x.key && !(result.key = follow(from, *x.key, to)))
    return refuse(op) << "it merges or splits the rows attended to";
  return result;
}

FailureOr<RowDims> SequenceAnalysis::visit(TransposeOp op) {
  RowDims x = lookup(op.getX()), result;
  result.mask = x.mask;
  for (auto [to, from] : llvm::enumerate(op.getPermutation())) {
    if (x.row == from)
      result.row = to;
    if (x.key == from)
      result.key = to;
  }
  return result;
}

FailureOr<RowDims> SequenceAnalysis::visit(SliceOp op) {
  RowDims x = lookup(op.getX());
  int64_t dim = op.getDim();
  if (x.row == dim || x.key == dim)
    return refuse(op) << "it takes a range of the rows";
  return x;
}

FailureOr<RowDims> SequenceAnalysis::visit(func::ReturnOp op) {
  for (Value value : op.getOperands()) {
    if (isa<KvCacheType>(value.getType()))
      continue;
    if (lookup(value).row != 0 || lookup(value).key)
      return op.emitOpError("result: got a value whose first dimension does "
                            "not number the rows");
  }
  return RowDims{};
}
