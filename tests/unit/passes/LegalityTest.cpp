#include "passes/Legality.h"
#include "TestModels.h"
#include "ir/Diagnostics.h"
#include "passes/Pipeline.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

/// What a module of `text` does wrong after a pass, or "" for nothing.
std::string errorAfter(StringRef pass, const std::string &text) {
  MLIRContext context;
  loadTestDialects(context);
  DiagnosticText diagnostics(&context);
  auto module = parseSourceString<ModuleOp>(
      "!c = !tandem.kv_cache<layers = 1, heads = 1, head_size = 2, block = 32, "
      "positions = 40, f32>\n" +
          text,
      &context);
  if (!module)
    return "cannot be parsed: " + diagnostics.failure().error().message;
  if (succeeded(checkLegalAfter(pass, *module)))
    return "";
  return diagnostics.failure().error().message;
}

void expectIllegal(const std::string &pass, const std::string &text,
                   const std::string &op, const std::string &expected) {
  std::string message = errorAfter(pass, text);
  EXPECT_NE(message.find("'" + op + "' op is illegal after " + pass + ": " +
                         expected),
            std::string::npos)
      << message;
  EXPECT_TRUE(message.starts_with("-:")) << message; // line and column
}

/// A prefill program of two rows with what stands in its body.
std::string prefill(const std::string &cache, const std::string &body,
                    const std::string &result) {
  return "func.func @prefill_2(" + cache + R"(
    %t: tensor<2xi32> {tandem.name = "tokens"}, %p: tensor<2xi32> {tandem.name = "positions"},
    %s: tensor<2xi32> {tandem.name = "sequences"}, %b: tensor<1x2xi32> {tandem.name = "block_tables"},
    %v: tensor<1xi32> {tandem.name = "valid"})
    -> (!c, tensor<2x2xf32>)
    attributes {tandem.program = #tandem.program<prefill, positions = 40>} {
  %w = tandem.weight @w : tensor<11x2xf32>
  %x = tandem.embedding %w, %t : (tensor<11x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
)" + body +
         "  return " + result +
         " : !c, tensor<2x2xf32>\n}\ntandem.parameter @w : tensor<11x2xf32>\n";
}

const std::string withCache = "%c: !c {tandem.name = \"cache\"},";

const std::string append = R"(
  %d = tandem.kv_append %c, %x, %x rows(%p, %s, %b, %v) {layer = 0 : i64}
      : (!c, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !c
)";

/// A kv_read of `cache`, with `attributes` more.
std::string readOf(const std::string &cache, const std::string &attributes,
                   const std::string &positions) {
  return "  %k = tandem.kv_read " + cache +
         " rows(%p, %s, %b, %v) {layer = 0 : i64, num_sequences = 1 : i64, "
         "part = #tandem<part key>" +
         attributes +
         "}\n      : (!c, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, "
         "tensor<1xi32>) -> tensor<1x1x" +
         positions + "x2xf32>\n";
}

/// A module whose one parameter is read by `reader`, in `layout`.
std::string readBy(const std::string &layout, const std::string &reader) {
  return "tandem.parameter @w : tensor<4x4xf32>" + layout + R"(
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = tandem.weight @w : tensor<4x4xf32>
  %y = )" +
         reader +
         R"( : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
})";
}

} // namespace

TEST(Legality, AfterSpecializePhases) {
  auto text = [](const std::string &phase) {
    return "func.func private @f() attributes {tandem.program = "
           "#tandem.program<" +
           phase + ", positions = 40>}";
  };
  expectIllegal("specialize-phases", text("model"), "func.func",
                "got a function of phase 'model', expected programs alone");
  EXPECT_EQ(errorAfter("specialize-phases", text("forward")), "");
}

TEST(Legality, AfterInsertKvCache) {
  const std::string pass = "insert-kv-cache";
  EXPECT_EQ(errorAfter(pass, prefill(withCache, append, "%d, %x")), "");
  expectIllegal(pass, prefill(withCache, "", "%c, %x"), "func.func",
                "got 0 appends to layer 0, expected 1");
  std::string again = append;
  again.replace(again.find("%d"), 2, "%e").replace(again.find("%c"), 2, "%d");
  expectIllegal(pass, prefill(withCache, append + again, "%e, %x"), "func.func",
                "got 2 appends to layer 0, expected 1");
}

TEST(Legality, AfterInsertKvCacheNoRowsMeetElsewhere) {
  const std::string pass = "insert-kv-cache";
  expectIllegal(pass,
                prefill(withCache, append + R"(
  %y = tandem.attention %x, %x, %x, %p {heads = 1 : i64, scale = 1.0 : f64}
      : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
)",
                        "%d, %y"),
                "tandem.attention",
                "got an attention across rows, expected one to the cache");
  expectIllegal(pass,
                prefill(withCache, append + R"(
  %q = tandem.matmul %x, %x {transpose_rhs} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %m = tandem.causal_mask %q, %p : (tensor<2x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  %a = tandem.softmax %m : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = tandem.matmul %a, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
)",
                        "%d, %y"),
                "tandem.matmul",
                "got an attention across rows, expected one to the cache");
}

TEST(Legality, AfterInsertKvCacheThereIsOne) {
  expectIllegal("insert-kv-cache", R"(
func.func @decode_1(%t: tensor<1xi32> {tandem.name = "tokens"}) -> tensor<1xi32>
    attributes {tandem.program = #tandem.program<decode, positions = 40>} {
  return %t : tensor<1xi32>
})",
                "func.func", "got no cache, expected one");
}

TEST(Legality, AfterBoundCacheReads) {
  const std::string pass = "bound-cache-reads";
  expectIllegal(pass, prefill(withCache, readOf("%c", "", "?"), "%c, %x"),
                "tandem.kv_read",
                "got no num_positions, expected a number of them");
  EXPECT_EQ(
      errorAfter(pass, prefill(withCache,
                               readOf("%c", ", num_positions = 40 : i64", "40"),
                               "%c, %x")),
      "");
}

TEST(Legality, AfterAssignLayouts) {
  const std::string pass = "assign-layouts";
  EXPECT_EQ(errorAfter(pass, readBy("", "tandem.add %x, %w")), "");
  EXPECT_EQ(
      errorAfter(pass, readBy(" layout column_panels", "tandem.linear %x, %w")),
      "");
  expectIllegal(pass, readBy("", "tandem.linear %x, %w"), "tandem.parameter",
                "got layout plain, expected the column_panels that all its "
                "readers can read");
}

TEST(Legality, AfterSchedule) {
  expectIllegal("schedule",
                prefill(withCache, append + readOf("%c", "", "?"), "%d, %x"),
                "tandem.kv_read",
                "got a state of the cache that a kv_append before it "
                "overwrote");
  EXPECT_EQ(
      errorAfter("schedule",
                 prefill(withCache, readOf("%c", "", "?") + append, "%d, %x")),
      "");
}

TEST(Legality, AfterBufferize) {
  expectIllegal("bufferize", R"(
func.func @f(%x: memref<4xf32>) {
  %y = tandem.weight @w : tensor<4xf32>
  return
}
tandem.parameter @w : tensor<4xf32>)",
                "tandem.weight", "got 'tensor<4xf32>', expected memrefs");
  expectIllegal("bufferize", "func.func private @f(tensor<4xf32>)", "func.func",
                "got 'tensor<4xf32>', expected memrefs");
}

TEST(Legality, AfterPlanMemory) {
  expectIllegal("plan-memory", R"(
func.func @f() {
  %y = memref.alloc() : memref<4xf32, #tandem.storage<transient>>
  return
})",
                "memref.alloc",
                "got an allocation, expected a view of the arena");
  auto weight = [](const std::string &place) {
    return "tandem.parameter @w : tensor<4xf32>" + place + R"(
func.func @f() {
  %w = tandem.weight @w : memref<4xf32, #tandem.storage<constant>>
  return
})";
  };
  expectIllegal("plan-memory", weight(""), "tandem.parameter",
                "got no offset, expected one");
  EXPECT_EQ(errorAfter("plan-memory", weight(" at 64")), "");
}

// Every pass with a rule is followed by its check.
TEST(Legality, IsCheckedByThePipeline) {
  MLIRContext context;
  PassReport report;
  PassManager manager(&context);
  ASSERT_TRUE(buildPipeline(manager, {}, report));
  std::string text;
  llvm::raw_string_ostream stream(text);
  manager.printAsTextualPipeline(stream);
  size_t at = 0;
  for (StringRef pass : passesWithLegality()) {
    at = text.find(pass.str(), at);
    size_t check = text.find("check-legality{after=" + pass.str(), at);
    ASSERT_NE(check, std::string::npos) << pass.str() << " in " << text;
    at = check + 1;
  }
}
