#include "passes/AttentionRows.h"
#include "passes/Passes.h"
#include "passes/SequenceAnalysis.h"

namespace tandem {
#define GEN_PASS_DEF_INSERTKVCACHE
#include "passes/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;

namespace {

/// The row inputs of a cached program.
struct RowInputs {
  Value positions, sequences, blockTables, valid;
};

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

/// The heads and the head size of keys or values whose rows are in `rowDim`.
std::pair<int64_t, int64_t> headsOf(Value value, int64_t rowDim) {
  return {shapeOf(value)[0], shapeOf(value)[3 - rowDim]};
}

std::pair<int64_t, int64_t> keyHeads(AttentionSite site) {
  return headsOf(site.scores.getRhs(), keyRowDim(site.scores));
}

/// Queries, keys and values must come by head, the heads first.
LogicalResult checkSite(const SequenceAnalysis &analysis, AttentionSite site) {
  for (MatmulOp op : {site.scores, site.context})
    if (shapeOf(op.getRhs()).size() != 3)
      return op.emitOpError("rhs: got ")
             << op.getRhs().getType()
             << ", expected keys or values as [heads, rows, head size] or "
                "[heads, head size, rows]";
  if (shapeOf(site.scores.getLhs()).size() != 3 ||
      analysis.lookup(site.scores.getLhs()).row != 1)
    return site.scores.emitOpError("lhs: got ")
           << site.scores.getLhs().getType()
           << ", expected queries as [heads, rows, head size]";
  if (headsOf(site.context.getRhs(), valueRowDim(site.context)) !=
      keyHeads(site))
    return site.context.emitOpError("rhs: got ")
           << site.context.getRhs().getType()
           << ", expected the heads and head size of the keys, "
           << site.scores.getRhs().getType();
  return success();
}

/// Rewrites one attention of a program to go through the cache.
class CacheInserter {
public:
  CacheInserter(AttentionSite site, RowInputs rows, int64_t layer)
      : site(site), rows(rows), layer(layer), builder(site.context),
        location(site.context.getLoc()) {}

  /// Returns the cache after the append.
  Value insert(Value cache) {
    Value q = site.scores.getLhs();
    int64_t numRows = shapeOf(q)[1];
    int64_t numSequences = shapeOf(rows.blockTables)[0];
    Value keys = headsToRows(builder, location, site.scores.getRhs(),
                             keyRowDim(site.scores));
    Value values = headsToRows(builder, location, site.context.getRhs(),
                               valueRowDim(site.context));
    auto append = builder.create<KvAppendOp>(
        location, cache.getType(), cache, keys, values, rows.positions,
        rows.sequences, rows.blockTables, rows.valid, layer);
    cache = append.getResult();
    int64_t grouped[] = {shapeOf(q)[0], numSequences, numRows / numSequences,
                         shapeOf(q)[2]};
    Value groups =
        create<ReshapeOp>(builder, location, q, ValueRange(), grouped);
    Value weights = attend(tandem::create<MatmulOp>(
        builder, location, groups, read(cache, KvPart::Key), ValueRange(),
        /*transpose_rhs=*/true));
    Value context = tandem::create<MatmulOp>(
        builder, location, weights, read(cache, KvPart::Value), ValueRange(),
        /*transpose_rhs=*/false);
    Value result =
        tandem::create<ReshapeOp>(builder, location, context, ValueRange(),
                                  shapeOf(site.context->getResult(0)));
    site.context->getResult(0).replaceAllUsesWith(result);
    return cache;
  }

private:
  Value read(Value cache, KvPart part) {
    return tandem::create<KvReadOp>(
        builder, location, cache, rows.positions, rows.sequences,
        rows.blockTables, rows.valid, ValueRange(), layer,
        shapeOf(rows.blockTables)[0], IntegerAttr(), part);
  }

  /// Repeats what lies between scores and context on the new scores.
  Value attend(Value scores) {
    SmallVector<Operation *> between;
    for (Operation *op = site.context.getLhs().getDefiningOp();
         op != site.scores; op = op->getOperand(0).getDefiningOp())
      between.push_back(op);
    for (Operation *op : llvm::reverse(between)) {
      Operation *clone = builder.clone(*op);
      clone->setOperand(0, scores);
      scores = clone->getResult(0);
      scores.setType(clone->getOperand(0).getType());
    }
    return scores;
  }

  AttentionSite site;
  RowInputs rows;
  int64_t layer;
  OpBuilder builder;
  Location location;
};

/// What stands between scores and context keeps their shape and reads nothing
/// else of a row's width.
LogicalResult checkBetween(AttentionSite site) {
  for (Operation *op = site.context.getLhs().getDefiningOp(); op != site.scores;
       op = op->getOperand(0).getDefiningOp())
    if (!isa<ScaleOp, CausalMaskOp, SoftmaxOp>(op))
      return op->emitOpError(
          "between scores and context: expected "
          "tandem.scale, tandem.causal_mask or tandem.softmax");
  return success();
}

struct InsertKvCache : tandem::impl::InsertKvCacheBase<InsertKvCache> {
  using InsertKvCacheBase::InsertKvCacheBase;

  void runOnOperation() override {
    numCached = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      ProgramAttr program = getProgram(function);
      if (program && (program.getPhase() == Phase::Prefill ||
                      program.getPhase() == Phase::Decode))
        if (failed(insert(function, program.getPositions())))
          return signalPassFailure();
    }
    count({{"attentions cached", numCached}});
  }

  LogicalResult insert(func::FuncOp function, int64_t positions) {
    FailureOr<SequenceAnalysis> analysis = SequenceAnalysis::run(function);
    if (failed(analysis))
      return failure();
    ArrayRef<AttentionSite> sites = analysis->attentions();
    if (sites.empty())
      return function.emitOpError("attentions: got none, expected 1 or more");
    for (AttentionSite site : sites)
      if (failed(checkSite(*analysis, site)) || failed(checkBetween(site)))
        return failure();
    auto [heads, headSize] = keyHeads(sites[0]);
    for (AttentionSite site : sites)
      if (keyHeads(site) != keyHeads(sites[0]))
        return site.scores.emitOpError("rhs: got ")
               << site.scores.getRhs().getType()
               << ", expected the same heads and head size as the first "
                  "attention";

    auto type = KvCacheType::get(&getContext(), sites.size(), heads, headSize,
                                 kvBlockSize, positions,
                                 Float32Type::get(&getContext()));
    Value cache = addCacheArgument(function, type);
    RowInputs rows = {findArgument(function, "positions"),
                      findArgument(function, "sequences"),
                      findArgument(function, "block_tables"),
                      findArgument(function, "valid")};
    for (auto [layer, site] : llvm::enumerate(sites)) {
      cache = CacheInserter(site, rows, layer).insert(cache);
      eraseSite(site);
    }
    numCached += sites.size();
    returnCache(function, cache);
    return success();
  }

  /// The ops that the cached attention replaced, from context back to scores.
  void eraseSite(AttentionSite site) {
    Operation *op = site.context;
    while (op) {
      Operation *before =
          op == site.scores ? nullptr : op->getOperand(0).getDefiningOp();
      if (op->use_empty())
        op->erase();
      op = before;
    }
  }

  Value addCacheArgument(func::FuncOp function, KvCacheType type) {
    OpBuilder builder(function);
    auto name = builder.getNamedAttr(argumentNameAttrName,
                                     builder.getStringAttr("cache"));
    function.insertArgument(0, type, builder.getDictionaryAttr(name),
                            function.getLoc());
    return function.getArgument(0);
  }

  void returnCache(func::FuncOp function, Value cache) {
    OpBuilder builder(function);
    auto name = builder.getNamedAttr(argumentNameAttrName,
                                     builder.getStringAttr("cache"));
    function.insertResult(0, cache.getType(), builder.getDictionaryAttr(name));
    function.front().getTerminator()->insertOperands(0, cache);
  }

  int64_t numCached = 0; // attentions of all programs
};

} // namespace
