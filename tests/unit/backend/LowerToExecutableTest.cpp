#include "backend/lowering/LowerToExecutable.h"

#include "backend/ExecutableCheck.h"
#include "backend/lowering/Target.h"
#include "frontend/Gpt2Graph.h"
#include "frontend/Gpt2Parameters.h"
#include "passes/Passes.h"
#include "passes/Pipeline.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

class LowerToExecutable : public testing::Test {
protected:
  LowerToExecutable() {
    context
        .loadDialect<TandemDialect, mlir::func::FuncDialect,
                     mlir::memref::MemRefDialect, mlir::arith::ArithDialect>();
  }

  Result<Executable> lower(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "!c = !tandem.kv_cache<layers = 2, heads = 3, head_size = 2, "
        "block = 32, positions = 40, f32>\n"
        "#e = #tandem.storage<external>\n#t = #tandem.storage<transient>\n"
        "#k = #tandem.storage<constant>\n" +
            text,
        &context);
    if (!module)
      return failure("the text does not parse");
    return lowerToExecutable(*module);
  }

  std::string errorOf(const std::string &text) {
    auto lowered = lower(text);
    return lowered ? "" : lowered.error().message;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

/// The check that files go through, with the summary that a caller adds.
void expectFits(Executable executable, const ModelSummary &summary) {
  executable.model = summary;
  auto valid = checkExecutable(executable);
  EXPECT_TRUE(valid.has_value()) << valid.error().message;
}

ModelSummary summaryOf(int64_t vocabSize) {
  return {.name = "small",
          .vocabSize = vocabSize,
          .positions = 40,
          .layers = 2,
          .heads = 3,
          .embed = 6,
          .inner = 12,
          .parameters = 1,
          .eosTokens = {}};
}

void expectPlace(const Value &value, Segment segment,
                 const std::vector<int64_t> &shape, int64_t offset,
                 int64_t rowStride) {
  EXPECT_EQ(value.segment, segment);
  EXPECT_EQ(value.shape, shape);
  EXPECT_EQ(value.offset, offset);
  EXPECT_EQ(value.rowStride, rowStride);
}

/// A row of 6 through the table, then columns 6 to 11 of what a linear makes of
/// it, attention with scratch, and out.
constexpr const char *planned = R"(
tandem.parameter @table : tensor<5x6xf32> layout row_panels at 0
tandem.parameter @unread : tensor<9xf32>
tandem.parameter @wide : tensor<6x12xf32> layout column_panels at 1536
tandem.parameter @bias : tensor<12xf32> at 3072
func.func @decode_1(%arena: memref<192xi8, #t> {tandem.name = "arena"}, %c: !c {tandem.name = "cache"},
    %tok: memref<1xi32, #e> {tandem.name = "tokens"}, %p: memref<1xi32, #e> {tandem.name = "positions"},
    %s: memref<1xi32, #e> {tandem.name = "sequences"}, %b: memref<1x2xi32, #e> {tandem.name = "block_tables"},
    %n: memref<1xi32, #e> {tandem.name = "valid"}, %h: memref<1x6xf32, #e> {tandem.name = "hidden"},
    %l: memref<1x5xf32, #e> {tandem.name = "logits"})
    attributes {tandem.program = #tandem.program<decode, positions = 40>} {
  %table = tandem.weight @table : memref<5x6xf32, #k>
  %c0 = arith.constant 0 : index
  %x = memref.view %arena[%c0][] : memref<192xi8, #t> to memref<1x6xf32, #t>
  tandem.embedding %table, %tok into %x : (memref<5x6xf32, #k>, memref<1xi32, #e>, memref<1x6xf32, #t>) -> ()
  %wide = tandem.weight @wide : memref<6x12xf32, #k>
  %bias = tandem.weight @bias : memref<12xf32, #k>
  %c64 = arith.constant 64 : index
  %y = memref.view %arena[%c64][] : memref<192xi8, #t> to memref<1x12xf32, #t>
  tandem.linear %x, %wide bias(%bias) into %y {activation = #tandem.activation<relu>}
      : (memref<1x6xf32, #t>, memref<6x12xf32, #k>, memref<12xf32, #k>, memref<1x12xf32, #t>) -> () loc("layer")
  %k = memref.subview %y[0, 6] [1, 6] [1, 1] : memref<1x12xf32, #t> to memref<1x6xf32, strided<[12, 1], offset: 6>, #t>
  tandem.kv_append %c, %k, %x rows(%p, %s, %b, %n) {layer = 1 : i64}
      : (!c, memref<1x6xf32, strided<[12, 1], offset: 6>, #t>, memref<1x6xf32, #t>, memref<1xi32, #e>, memref<1xi32, #e>, memref<1x2xi32, #e>, memref<1xi32, #e>) -> ()
  %c128 = arith.constant 128 : index
  %scratch = memref.view %arena[%c128][] : memref<192xi8, #t> to memref<40xi8, #t>
  tandem.cached_attention %x, %c rows(%p, %s, %b, %n) scratch(%scratch) into %h {layer = 1 : i64, scale = 0.5 : f64}
      : (memref<1x6xf32, #t>, !c, memref<1xi32, #e>, memref<1xi32, #e>, memref<1x2xi32, #e>, memref<1xi32, #e>, memref<40xi8, #t>, memref<1x6xf32, #e>) -> ()
  tandem.linear %h, %table into %l {transpose_rhs}
      : (memref<1x6xf32, #e>, memref<5x6xf32, #k>, memref<1x5xf32, #e>) -> ()
  return
})";

TEST_F(LowerToExecutable, ModuleHasItsConstantsAndCache) {
  auto lowered = lower(planned);
  ASSERT_TRUE(lowered.has_value()) << lowered.error().message;
  KvCacheLayout cache = {
      .layers = 2, .heads = 3, .headSize = 2, .blockSize = 32, .positions = 40};
  EXPECT_EQ(lowered->kvCache, cache);
  // What no program reads is left out. The last ends at 3072 + 48.
  ASSERT_EQ(lowered->constants.size(), 3u);
  EXPECT_EQ(lowered->constants[0].name, "table");
  EXPECT_EQ(lowered->constants[0].layout, Layout::RowPanels);
  EXPECT_EQ(lowered->constants[1].layout, Layout::ColumnPanels);
  EXPECT_EQ(lowered->constants[1].offset, 1536);
  EXPECT_EQ(lowered->constants[2].shape, std::vector<int64_t>{12});
  EXPECT_EQ(lowered->constantBytes, 3136);
  expectFits(*lowered, summaryOf(5));
}

TEST_F(LowerToExecutable, ProgramHasItsSignature) {
  auto lowered = lower(planned);
  ASSERT_TRUE(lowered.has_value()) << lowered.error().message;
  const Program &program = lowered->programs.at(0);
  EXPECT_EQ(program.name, "decode_1");
  EXPECT_EQ(program.kind, ProgramKind::Decode);
  EXPECT_EQ(program.rows, 1);
  EXPECT_TRUE(program.planned);
  EXPECT_EQ(program.transientBytes, 192);
  std::vector<std::string> inputs, outputs;
  for (const auto &[name, index] : program.inputs) {
    inputs.push_back(name);
    EXPECT_EQ(program.values[index].segment, Segment::External);
    EXPECT_EQ(program.values[index].type, ElementType::I32);
  }
  for (const auto &[name, index] : program.outputs)
    outputs.push_back(name);
  EXPECT_EQ(inputs, (std::vector<std::string>{"block_tables", "positions",
                                              "sequences", "tokens", "valid"}));
  EXPECT_EQ(outputs, (std::vector<std::string>{"hidden", "logits"}));
}

TEST_F(LowerToExecutable, StepsNameKernelsValuesAndAttributes) {
  auto lowered = lower(planned);
  ASSERT_TRUE(lowered.has_value()) << lowered.error().message;
  const Program &program = lowered->programs.at(0);
  auto value = [&](int32_t index) { return program.values.at(index); };
  ASSERT_EQ(program.steps.size(), 5u);
  const Step &embedding = program.steps[0], &linear = program.steps[1],
             &append = program.steps[2], &attention = program.steps[3],
             &head = program.steps[4];
  EXPECT_EQ(embedding.kernel, "embedding");
  EXPECT_EQ(embedding.inputs[1], program.inputs.at("tokens"));
  expectPlace(value(embedding.inputs[0]), Segment::Constant, {5, 6}, 0, 6);
  EXPECT_EQ(value(embedding.inputs[0]).layout, Layout::RowPanels);
  expectPlace(value(embedding.outputs[0]), Segment::Transient, {1, 6}, 0, 6);

  EXPECT_EQ(linear.kernel, "linear");
  EXPECT_EQ(linear.where, "layer");
  EXPECT_EQ(linear.attributes, (Attributes{{"activation", std::string("relu")},
                                           {"has_bias", int64_t(1)},
                                           {"has_residual", int64_t(0)},
                                           {"transpose_rhs", int64_t(0)}}));
  EXPECT_EQ(linear.scratch, -1);
  expectPlace(value(linear.inputs.at(2)), Segment::Constant, {12}, 3072, 12);
  expectPlace(value(linear.outputs[0]), Segment::Transient, {1, 12}, 64, 12);

  // Columns 6 to 11: 24 bytes on, rows 12 apart.
  EXPECT_EQ(append.kernel, "kv_append");
  expectPlace(value(append.inputs[1]), Segment::Transient, {1, 6}, 88, 12);
  expectPlace(value(append.inputs[0]), Segment::Persistent,
              {dynamicDim, 2, 2, 3, 32, 2}, 0, 2);
  EXPECT_EQ(append.outputs, std::vector<int32_t>{append.inputs[0]});

  EXPECT_EQ(attention.kernel, "cached_attention");
  EXPECT_EQ(attention.inputs.size(), 6u); // scratch is not among them
  expectPlace(value(attention.scratch), Segment::Transient, {40}, 128, 40);
  EXPECT_EQ(attention.attributes,
            (Attributes{{"layer", int64_t(1)}, {"scale", 0.5}}));
  EXPECT_EQ(attention.outputs[0], program.outputs.at("hidden"));

  EXPECT_EQ(head.inputs[0], program.outputs.at("hidden"));
  EXPECT_EQ(head.inputs[1], embedding.inputs[0]);
  EXPECT_EQ(head.outputs[0], program.outputs.at("logits"));
  EXPECT_EQ(std::get<int64_t>(head.attributes.at("transpose_rhs")), 1);
}

TEST_F(LowerToExecutable, TensorsMakeAnEagerProgram) {
  auto lowered = lower(R"(
    tandem.parameter @table : tensor<5x6xf32>
    tandem.parameter @scale : tensor<6xf32>
    func.func @forward_any(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"})
        -> (tensor<?x6xf32> {tandem.name = "hidden"})
        attributes {tandem.program = #tandem.program<forward, positions = 40>} {
      %table = tandem.weight @table : tensor<5x6xf32>
      %s = tandem.weight @scale : tensor<6xf32>
      %x = tandem.embedding %table, %t : (tensor<5x6xf32>, tensor<?xi32>) -> tensor<?x6xf32>
      %y = tandem.layer_norm %x, %s, %s {epsilon = 0.5 : f64} : (tensor<?x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x6xf32>
      return %y : tensor<?x6xf32>
    })");
  ASSERT_TRUE(lowered.has_value()) << lowered.error().message;
  // Without a plan: one after another, at multiples of 64. 5 x 6 x 4 = 120.
  EXPECT_EQ(lowered->constants.at(1).offset, 128);
  EXPECT_EQ(lowered->constantBytes, 192);
  EXPECT_EQ(lowered->kvCache.layers, 0);
  const Program &program = lowered->programs.at(0);
  EXPECT_FALSE(program.planned);
  EXPECT_EQ(program.kind, ProgramKind::Forward);
  EXPECT_EQ(program.rows, dynamicDim);
  EXPECT_EQ(program.transientBytes, 0);
  int32_t hidden = program.outputs.at("hidden");
  EXPECT_EQ(program.steps.at(1).outputs, std::vector<int32_t>{hidden});
  expectPlace(program.values[hidden], Segment::Transient, {dynamicDim, 6}, 0,
              6);
  expectFits(*lowered, summaryOf(5));
}

TEST_F(LowerToExecutable, RefusesWhatNoStepCanExpress) {
  EXPECT_NE(errorOf("func.func @f() { return }")
                .find("attribute 'tandem.program': got none, expected one"),
            std::string::npos);
  auto program = [](const std::string &arguments, const std::string &body) {
    return "func.func @f(" + arguments +
           ") attributes {tandem.program = #tandem.program<head, positions = "
           "40>} {" +
           body + " return }";
  };
  auto expectError = [&](const std::string &arguments, const std::string &body,
                         const std::string &expected) {
    std::string message = errorOf(program(arguments, body));
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  };
  expectError("%x: tensor<1x6xf32>", "",
              "argument 0: got no 'tandem.name', expected one");
  std::string x = "%x: memref<4x6xf32, #e> {tandem.name = \"hidden\"}";
  expectError(x, "%y = memref.alloc() : memref<4x6xf32, #t>",
              "'memref.alloc' op lowering: got an op that no kernel runs");
  expectError(x,
              "%y = memref.subview %x[0, 0] [4, 3] [1, 2] : memref<4x6xf32, "
              "#e> to memref<4x3xf32, strided<[6, 2]>, #e>",
              "expected rows whose elements are adjacent");
  expectError(x,
              "%y = memref.subview %x[0, 0] [4, 3] [1, 1] : memref<4x6xf32, "
              "#e> to memref<4x3xf32, strided<[6, 1]>, #e>",
              "expected one of a place in the arena, or of a weight");
  expectError("%x: index {tandem.name = \"hidden\"}", "",
              "argument 0: got 'index', expected the cache, or rows");
  std::string arena = "%arena: memref<512xi8, #t> {tandem.name = \"arena\"}, ";
  expectError(arena + "%x: tensor<4x6xf32> {tandem.name = \"hidden\"}",
              "%y = tandem.softmax %x : (tensor<4x6xf32>) -> tensor<4x6xf32>",
              "got a tensor in a planned program");
  expectError(
      arena + x,
      "%c = arith.constant 0 : index\n"
      "%v = memref.view %arena[%c][] : memref<512xi8, #t> to memref<4x6xf32, "
      "#t>\n"
      "%y = memref.subview %v[0, 0] [4, 3] [1, 1] : memref<4x6xf32, #t> to "
      "memref<4x3xf32, strided<[6, 1]>, #t>\n"
      "%z = memref.subview %y[0, 0] [4, 2] [1, 1] : memref<4x3xf32, "
      "strided<[6, 1]>, #t> to memref<4x2xf32, strided<[6, 1]>, #t> "
      "loc(\"inner\")",
      "inner: 'memref.subview' op view: got a view of a view, expected one "
      "level");
  expectError(arena + x,
              "%c = arith.constant 0 : index\n"
              "%s = memref.view %arena[%c][] : memref<512xi8, #t> to "
              "memref<256xi8, #t>\n"
              "%y = memref.view %s[%c][] : memref<256xi8, #t> to "
              "memref<4x6xf32, #t>",
              "'memref.view' op source: got 'memref<256xi8");
}

/// A small GPT-2 with everything compiled for this machine fits together, and
/// its programs say what the configuration did.
TEST_F(LowerToExecutable, CompiledModelPassesTheCheckOfFiles) {
  ModelConfig config;
  config.vocabSize = 70;
  config.positions = 40;
  config.embed = 6;
  config.layers = 2;
  config.heads = 3;
  config.inner = 10;
  for (Stage stage : {Stage::Specialized, Stage::Planned}) {
    auto module = buildGpt2Forward(context, config);
    PipelineOptions options;
    options.stage = stage;
    options.rows = {
        .prefill = {5, 16}, .decode = {1, 4}, .head = {1}, .forward = {7}};
    options.target = hostTarget(3);
    auto done = runPipeline(*module, options);
    ASSERT_TRUE(done.has_value()) << done.error().message;
    auto lowered = lowerToExecutable(*module);
    ASSERT_TRUE(lowered.has_value()) << lowered.error().message;
    EXPECT_EQ(lowered->programs.size(), 6u);
    auto valid = checkExecutable(*lowered);
    EXPECT_TRUE(valid.has_value()) << valid.error().message;
    const ModelSummary &summary = lowered->model;
    EXPECT_EQ(summary.vocabSize, 70);
    EXPECT_EQ(summary.positions, 40);
    EXPECT_EQ(summary.layers, 2);
    EXPECT_EQ(summary.heads, 3);
    EXPECT_EQ(summary.embed, 6);
    EXPECT_EQ(summary.inner, 10);
    EXPECT_EQ(summary.parameters, numParameters(config));
    EXPECT_EQ(summary.eosTokens, config.eosTokens);
    EXPECT_EQ(lowered->numThreads, stage == Stage::Planned ? 3 : 1);
  }
}

} // namespace
} // namespace tandem
