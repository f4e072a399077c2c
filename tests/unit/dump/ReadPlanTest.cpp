#include "passes/ReadPlan.h"
#include "ir/Tandem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

std::optional<ArenaUse> planIn(const std::string &body) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<TandemDialect, func::FuncDialect, arith::ArithDialect,
                      memref::MemRefDialect>();
  auto module = parseSourceString<ModuleOp>(
      "#t = #tandem.storage<transient>\n#e = #tandem.storage<external>\n" +
          body,
      &context);
  EXPECT_TRUE(module);
  if (!module)
    return std::nullopt;
  return readPlan(*module->getOps<func::FuncOp>().begin());
}

/// x, scaled three times, at the offsets given: a is read when b is written, b
/// when the result is.
std::string threeScales(int64_t a, int64_t b) {
  auto view = [](const std::string &name, int64_t offset) {
    return "%at_" + name + " = arith.constant " + std::to_string(offset) +
           " : index\n%" + name + " = memref.view %arena[%at_" + name +
           "][] : memref<1024xi8, #t> to memref<4x16xf32, #t>\n";
  };
  auto scale = [](const std::string &from, const std::string &to,
                  const std::string &spaces) {
    return "tandem.scale %" + from + " into %" + to +
           " {factor = 2.0 : f64} : (" + spaces + ") -> ()\n";
  };
  std::string t = "memref<4x16xf32, #t>", e = "memref<4x16xf32, #e>";
  return "func.func @f(%arena: memref<1024xi8, #t>, %x: " + e + ", %y: " + e +
         ") {\n" + view("a", a) + scale("x", "a", e + ", " + t) + view("b", b) +
         scale("a", "b", t + ", " + t) + scale("b", "y", t + ", " + e) +
         "return\n}";
}

} // namespace

// Both of 256 bytes are live where the second scale runs.
TEST(ReadPlan, BoundIsWhatIsLiveTogether) {
  auto arena = planIn(threeScales(0, 512));
  ASSERT_TRUE(arena);
  EXPECT_EQ(arena->sizeInBytes, 1024);
  EXPECT_EQ(arena->lowerBound, 512);
}

TEST(ReadPlan, BoundCountsWorkInPlaceOnce) {
  auto arena = planIn(threeScales(0, 0));
  ASSERT_TRUE(arena);
  EXPECT_EQ(arena->lowerBound, 256);
}

TEST(ReadPlan, IsAbsentWithoutAnArena) {
  EXPECT_FALSE(planIn("func.func @f() { return }"));
}
