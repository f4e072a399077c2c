#include "ir/Work.h"
#include "ir/OpName.h"
#include "support/OpCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

class Works : public ::testing::Test {
protected:
  Works() {
    context.loadDialect<TandemDialect, func::FuncDialect, arith::ArithDialect,
                        memref::MemRefDialect>();
  }

  /// The work of the op of that name in a module of that text.
  std::optional<Work> workIn(llvm::StringRef text, llvm::StringRef op) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    std::optional<Work> work;
    if (module)
      module->walk([&](Operation *found) {
        if (shortName(found) == op)
          work = workOf(found);
      });
    return work;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

} // namespace

// Whoever adds an op adds its cost.
TEST_F(Works, AreKnownOfEveryOp) {
  int numOps = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "tandem")
      continue;
    if (!name.hasInterface<ComputeOpInterface>() &&
        name.stripDialect() != "kv_append")
      continue;
    ArrayShape array = {{2, 4}};
    EXPECT_TRUE(opCost({.op = name.stripDialect(),
                        .inputs = {array, array, array},
                        .outputs = {array},
                        .activation = {},
                        .heads = 1,
                        .cache = {}}))
        << name.getStringRef().str();
    ++numOps;
  }
  EXPECT_GT(numOps, 10);
}

// Arguments and results are the caller's, weights constant, the rest transient.
TEST_F(Works, OfTensorsGoByWhereValuesComeFrom) {
  auto work = workIn(R"(
    tandem.parameter @w : tensor<8x5xf32>
    func.func @f(%x: tensor<3x8xf32>, %r: tensor<3x5xf32>) -> tensor<3x5xf32> {
      %w = tandem.weight @w : tensor<8x5xf32>
      %0 = tandem.scale %x {factor = 2.0 : f64} : (tensor<3x8xf32>) -> tensor<3x8xf32>
      %1 = tandem.linear %0, %w residual(%r) : (tensor<3x8xf32>, tensor<8x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
      return %1 : tensor<3x5xf32>
    })",
                     "linear");
  ASSERT_TRUE(work);
  EXPECT_EQ(work->readIn(Storage::Constant), 160);
  EXPECT_EQ(work->readIn(Storage::Transient), 96);
  EXPECT_EQ(work->readIn(Storage::External), 60);
  EXPECT_EQ(work->writtenIn(Storage::External), 60);
  EXPECT_EQ(work->flop, 240 + 15);
  EXPECT_FALSE(work->isBound);
}

TEST_F(Works, OfBuffersGoByMemorySpaceWithoutScratch) {
  auto work = workIn(R"(
    #transient = #tandem.storage<transient>
    #external = #tandem.storage<external>
    #constant = #tandem.storage<constant>
    func.func @f(%x: memref<3x8xf32, #external>, %w: memref<8x5xf32, #constant>) {
      %s = memref.alloc() : memref<1024xi8, #transient>
      %y = memref.alloc() : memref<3x5xf32, #transient>
      tandem.linear %x, %w scratch(%s) into %y : (memref<3x8xf32, #external>, memref<8x5xf32, #constant>, memref<1024xi8, #transient>, memref<3x5xf32, #transient>) -> ()
      return
    })",
                     "linear");
  ASSERT_TRUE(work);
  EXPECT_EQ(work->read, (Work::Bytes{160, 0, 0, 96}));
  EXPECT_EQ(work->written, (Work::Bytes{0, 0, 60, 0}));
  EXPECT_EQ(work->flop, 240);
}

// The program says how long a sequence can be.
TEST_F(Works, OfAnOpenDimensionAreAtItsBound) {
  std::string function = R"(
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> ATTRIBUTES {
      %0 = tandem.softmax %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    })";
  auto with = [&](const std::string &attributes) {
    std::string text = function;
    text.replace(text.find("ATTRIBUTES"), 10, attributes);
    return workIn(text, "softmax");
  };
  auto work = with("attributes {tandem.program = "
                   "#tandem.program<forward, positions = 64>}");
  ASSERT_TRUE(work);
  EXPECT_TRUE(work->isBound);
  EXPECT_EQ(work->flop, 5 * 64 * 8);
  EXPECT_FALSE(with(""));
}

TEST_F(Works, OfTheCacheAreForTheLongestSequence) {
  std::string text = R"(
    !cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
    func.func @f(%q: tensor<2x32xf32>, %c: !cache, %p: tensor<2xi32>, %t: tensor<1x2xi32>, %v: tensor<1xi32>) -> (tensor<2x32xf32>, !cache) {
      %d = tandem.kv_append %c, %q, %q rows(%p, %p, %t, %v) {layer = 0 : i64} : (!cache, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !cache
      %y = tandem.cached_attention %q, %d rows(%p, %p, %t, %v) {layer = 0 : i64, scale = 0.35 : f64} : (tensor<2x32xf32>, !cache, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<2x32xf32>
      return %y, %d : tensor<2x32xf32>, !cache
    })";
  auto attention = workIn(text, "cached_attention");
  ASSERT_TRUE(attention);
  EXPECT_EQ(attention->readIn(Storage::Persistent), 64 * 2 * 32 * 4);
  EXPECT_EQ(attention->flop, 2 * 64 * (4 * 32 + 6 * 4));
  EXPECT_TRUE(attention->isBound);
  auto append = workIn(text, "kv_append");
  ASSERT_TRUE(append);
  EXPECT_EQ(append->writtenIn(Storage::Persistent), 2 * 2 * 32 * 4);
  EXPECT_FALSE(append->isBound);
}
