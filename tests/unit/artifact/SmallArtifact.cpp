#include "tests/unit/artifact/SmallArtifact.h"

#include "runtime/Session.h"

namespace tandem {

static Value ids(std::vector<int64_t> shape) {
  return {.type = ElementType::I32,
          .shape = std::move(shape),
          .segment = Segment::External};
}

static Value constant(std::vector<int64_t> shape, int64_t offset,
                      Layout layout = Layout::Plain) {
  return {.shape = std::move(shape),
          .segment = Segment::Constant,
          .offset = offset,
          .layout = layout};
}

static Step step(std::string kernel, std::vector<int32_t> inputs,
                 std::vector<int32_t> outputs) {
  Step step;
  step.kernel = std::move(kernel);
  step.inputs = std::move(inputs);
  step.outputs = std::move(outputs);
  return step;
}

/// One row through the embedding, a view of it, the cache, and out.
static Program plannedProgram() {
  Program program;
  program.name = "decode_1";
  program.kind = ProgramKind::Decode;
  program.rows = 1;
  program.planned = true;
  program.values = {
      ids({1}),                                       // 0 tokens
      ids({1, 2}),                                    // 1 block_tables
      constant({5, 4}, 0, Layout::RowPanels),         // 2
      {.shape = {1, 4}, .offset = 0, .rowStride = 4}, // 3
      {.shape = {2, 2}, .offset = 4, .rowStride = 3}, // 4: bytes 4 to 24
      {.shape = {dynamicDim, 1, 2, 2, 32, 2},
       .segment = Segment::Persistent,
       .rowStride = 2},                                // 5
      {.shape = {40}, .offset = 24},                   // 6: scratch, bytes
      {.shape = {1, 5}, .segment = Segment::External}, // 7 logits
      constant({4}, 1024),                             // 8
  };
  program.inputs = {{"tokens", 0}, {"block_tables", 1}};
  program.outputs = {{"logits", 7}};
  Step append = step("kv_append", {5, 4, 1}, {5});
  append.attributes = {{"layer", int64_t{0}}};
  append.where = "block 0 \"attn\"";
  Step linear = step("linear", {3, 2, 8}, {7});
  linear.scratch = 6;
  linear.attributes = {{"activation", std::string("gelu_tanh")},
                       {"epsilon", 1e-5},
                       {"one", 1.0},
                       {"offsets", std::vector<int64_t>{0, -3}}};
  program.steps = {step("embedding", {0, 2}, {3}), append, linear};
  program.transientBytes = 64;
  return program;
}

static Program eagerProgram() {
  Program program;
  program.name = "forward";
  program.rows = dynamicDim;
  program.values = {
      ids({dynamicDim}), constant({5, 4}, 0), {.shape = {dynamicDim, 4}}};
  program.inputs = {{"tokens", 0}};
  program.outputs = {{"hidden", 2}};
  program.steps = {step("embedding", {0, 1}, {2})};
  return program;
}

Executable smallExecutable() {
  Executable executable;
  executable.model = {.name = "small",
                      .vocabSize = 5,
                      .positions = 64,
                      .layers = 1,
                      .heads = 2,
                      .embed = 4,
                      .inner = 16,
                      .parameters = 24,
                      .eosTokens = {4}};
  executable.kvCache = {
      .layers = 1, .heads = 2, .headSize = 2, .blockSize = 32, .positions = 64};
  executable.programs = {plannedProgram(), eagerProgram()};
  executable.constants = {{"wte", {5, 4}, Layout::RowPanels, 0},
                          {"bias", {4}, Layout::Plain, 1024, {"k", "v"}, 0}};
  executable.constantBytes = 1040; // a panel of 64 columns of 4, and the bias
  executable.numThreads = 2;
  return executable;
}

ArtifactContents smallContents() {
  ArtifactContents contents;
  contents.executable = smallExecutable();
  contents.tokenizer =
      TokenizerData{{"a", "b", "\xc4\xa0", "\xf0\x9f\x98\x80", "\"\\\n",
                     std::string("\0x", 2), "ab", "\xc4\xa0\xf0\x9f\x98\x80"},
                    {{"a", "b"}, {"\xc4\xa0", "\xf0\x9f\x98\x80"}},
                    {{"<|endoftext|>", 50256}, {"<|more|>", 50257}}};
  contents.generation = {
      .doSample = true,
      .temperature = 0.1 + 0.2, // not 0.3
      .topK = 7,
      .topP = 0.9,
      .eosTokens = std::vector<int64_t>{4},
      .unapplied = {{"min_p", "1e-300", true}, {"num_beams", "4", false}}};
  contents.origin.source = "models/small";
  contents.origin.sourceHash = "0123456789abcdef";
  contents.origin.pipeline = {.passes = {"specialize-phases", "plan-memory"},
                              .disabledPasses = {"schedule"},
                              .buckets = {8, 32},
                              .context = 64,
                              .batch = 2,
                              .threads = 2};
  contents.origin.plannedBytes = plannedBytesOf(contents);
  contents.module = std::as_bytes(std::span("module {\0}\n"));
  return contents;
}

std::vector<std::byte> constantsOf(const Executable &executable) {
  std::vector<std::byte> bytes;
  for (int64_t i = 0; i < executable.constantBytes; ++i)
    bytes.push_back(static_cast<std::byte>(i * 7 + i / 256));
  return bytes;
}

int64_t plannedBytesOf(const ArtifactContents &contents) {
  return Session::plannedBytes(
      contents.executable,
      {.numSequences = contents.origin.pipeline.batch, .withForward = false});
}

Result<void> writeSmallArtifact(const std::filesystem::path &path,
                                const ArtifactContents &contents) {
  return writeArtifact(path, contents, [&](const ByteSink &sink) {
    return sink(constantsOf(contents.executable));
  });
}

} // namespace tandem
