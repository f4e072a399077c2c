#include "backend/kernels/Scratch.h"
#include "tests/unit/runtime/ProgramBuilder.h"
#include "tests/unit/runtime/TinyModel.h"

namespace tandem::testing {

using namespace tiny;

namespace {

constexpr auto i32 = ElementType::I32;
constexpr int64_t tableOffset = 0;
constexpr int64_t placesOffset = 2 * panelColumns * embed * 4;

/// One program, its inputs and the embedding of its rows.
class TinyProgram : public ProgramBuilder {
public:
  TinyProgram(const std::string &prefix, ProgramKind kind, int64_t rows,
              bool planned, const KvCacheLayout &layout)
      : ProgramBuilder(rows == dynamicDim ? prefix
                                          : prefix + "_" + std::to_string(rows),
                       kind, rows, planned),
        rows(rows), planned(planned) {
    table = constant({vocab, embed}, tableOffset,
                     planned ? Layout::RowPanels : Layout::Plain);
    if (kind == ProgramKind::Head) {
      hidden = input("hidden", ElementType::F32, {rows, embed});
      addLogits();
      return;
    }
    int32_t places = constant({positions, embed}, placesOffset);
    int32_t ids = input("tokens", i32, {rows});
    position = input("positions", i32, {rows});
    bool cached = kind != ProgramKind::Forward;
    if (cached)
      addCacheInputs(layout);
    x = op("add",
           {op("embedding", {table, ids}, {rows, embed}),
            op("embedding", {places, position}, {rows, embed})},
           {rows, embed});
    if (cached)
      step("kv_append", {held, x, x, position, sequences, tables, valid}, held,
           {{"layer", int64_t(1)}});
    hidden = output("hidden", {rows, embed});
    step("add", {planned ? fusedAttention() : spelledAttention(), x}, hidden);
    if (kind == ProgramKind::Decode || (!cached && !planned))
      addLogits();
  }

private:
  void addCacheInputs(const KvCacheLayout &layout) {
    bool decodes = program.kind == ProgramKind::Decode;
    groups = decodes ? rows : 1;
    held = cache(layout);
    sequences = input("sequences", i32, {rows});
    tables = input("block_tables", i32, {groups, layout.blocksPerSequence()});
    valid = input("valid", i32, {1});
  }

  void addLogits() {
    int32_t logits = output("logits", {rows, vocab});
    Attributes attributes = {{"transpose_rhs", int64_t(1)}};
    if (!planned) {
      step("matmul", {hidden, table}, logits, attributes);
      return;
    }
    attributes.insert({{"has_bias", int64_t(0)},
                       {"has_residual", int64_t(0)},
                       {"activation", std::string("none")}});
    step("linear", {hidden, table}, logits, attributes,
         scratch(maxThreads *
                 linearScratchBytesPerThread(rows, embed, ElementType::F32)));
  }

  int32_t fusedAttention() {
    int32_t memory =
        scratch(maxThreads * attentionScratchBytesPerThread(headSize));
    if (program.kind == ProgramKind::Forward)
      return op("attention", {x, x, x, position}, {rows, embed},
                {{"heads", heads}, {"scale", scale}}, memory);
    return op("cached_attention", {x, held, position, sequences, tables, valid},
              {rows, embed}, {{"layer", int64_t(1)}, {"scale", scale}}, memory);
  }

  /// [heads, groups, keys, headSize]
  int32_t keysOrValues(int64_t part) {
    if (program.kind != ProgramKind::Forward)
      return op("kv_read", {held, position, sequences, tables, valid},
                {heads, groups, dynamicDim, headSize},
                {{"layer", int64_t(1)}, {"part", part}});
    return splitHeads();
  }

  /// x [rows, embed] as [heads, groups, rows / groups, headSize]
  int32_t splitHeads() {
    int32_t split =
        op("transpose", {op("reshape", {x}, {rows, heads, headSize})},
           {heads, rows, headSize},
           {{"permutation", std::vector<int64_t>{1, 0, 2}}});
    return op("reshape", {split}, {heads, groups, rowsOfGroup(), headSize});
  }

  int64_t rowsOfGroup() const {
    return rows == dynamicDim ? dynamicDim : rows / groups;
  }

  int32_t spelledAttention() {
    int64_t keys = dynamicDim, group = rowsOfGroup();
    std::vector<int64_t> shape = {heads, groups, group, keys};
    int32_t scores = op("matmul", {splitHeads(), keysOrValues(0)}, shape,
                        {{"transpose_rhs", int64_t(1)}});
    scores = op("scale", {scores}, shape, {{"factor", scale}});
    scores = op("causal_mask", {scores, position}, shape);
    scores = op("softmax", {scores}, shape);
    int32_t sums =
        op("matmul", {scores, keysOrValues(1)},
           {heads, groups, group, headSize}, {{"transpose_rhs", int64_t(0)}});
    int32_t joined =
        op("transpose", {op("reshape", {sums}, {heads, rows, headSize})},
           {rows, heads, headSize},
           {{"permutation", std::vector<int64_t>{1, 0, 2}}});
    return op("reshape", {joined}, {rows, embed});
  }

  int64_t rows, groups = 1;
  bool planned;
  int32_t table = 0, position = 0, x = 0, hidden = 0;
  int32_t held = 0, sequences = 0, tables = 0, valid = 0;
};

Executable makeExecutable(const TinyBuckets &buckets, bool planned) {
  Executable result;
  result.model = {.name = "tiny",
                  .vocabSize = vocab,
                  .positions = positions,
                  .layers = 2,
                  .heads = heads,
                  .embed = embed,
                  .inner = 1,
                  .parameters = (vocab + positions) * embed,
                  .eosTokens = {}};
  result.kvCache = {.layers = 2,
                    .heads = heads,
                    .headSize = headSize,
                    .positions = positions};
  result.numThreads = maxThreads;
  Layout layout = planned ? Layout::RowPanels : Layout::Plain;
  result.constants = {
      {"table", {vocab, embed}, layout, tableOffset},
      {"places", {positions, embed}, Layout::Plain, placesOffset}};
  result.constantBytes =
      placesOffset +
      storedSizeInBytes({positions, embed}, ElementType::F32, Layout::Plain);
  auto add = [&](const std::string &prefix, ProgramKind kind,
                 const std::vector<int64_t> &rows) {
    for (int64_t n : rows)
      result.programs.push_back(
          TinyProgram(prefix, kind, n, planned, result.kvCache).program);
  };
  add("prefill", ProgramKind::Prefill, buckets.prefill);
  add("decode", ProgramKind::Decode, buckets.decode);
  add("head", ProgramKind::Head, buckets.head);
  add("forward", ProgramKind::Forward, buckets.forward);
  return result;
}

} // namespace

Executable plannedExecutable(const TinyBuckets &buckets) {
  return makeExecutable(buckets, true);
}

Executable eagerExecutable(const TinyBuckets &buckets) {
  return makeExecutable(buckets, false);
}

} // namespace tandem::testing
