#include "tools/dump/FunctionDiff.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

/// Two functions of one argument %x, of 6 floats, in the order given.
class Diffs : public ::testing::Test {
protected:
  Diffs() { context.loadDialect<TandemDialect, func::FuncDialect>(); }

  FunctionDiff diff(const std::string &before, const std::string &after) {
    std::string type = "tensor<2x3xf32>";
    auto function = [&](const std::string &name, const std::string &body) {
      return "func.func @" + name + "(%x: " + type + ") -> " + type + " {" +
             body + "return %y : " + type + "}\n";
    };
    module = parseSourceString<ModuleOp>(
        function("before", before) + function("after", after), &context);
    EXPECT_TRUE(module);
    return diffFunctions(module->lookupSymbol<func::FuncOp>("before"),
                         module->lookupSymbol<func::FuncOp>("after"));
  }

  static std::string unary(const std::string &result, const std::string &op,
                           const std::string &operand,
                           const std::string &location) {
    return result + " = tandem." + op.substr(0, op.find(' ')) + " " + operand +
           (op.find(' ') == std::string::npos ? "" : op.substr(op.find(' '))) +
           " : (tensor<2x3xf32>) -> tensor<2x3xf32> loc(\"" + location +
           "\")\n";
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(Diffs, AreNoneBetweenTheSame) {
  std::string body = unary("%y", "softmax", "%x", "h.0.attn");
  FunctionDiff result = diff(body, body);
  EXPECT_TRUE(result.changes.empty());
  EXPECT_EQ(result.numMoved, 0);
  EXPECT_EQ(result.ops.at("softmax").first.count, 1);
  EXPECT_EQ(result.totalBefore.flop, 5 * 6);
}

TEST_F(Diffs, AreFoundByOriginAndKind) {
  FunctionDiff result =
      diff(unary("%0", "softmax", "%x", "a") +
               unary("%y", "scale {factor = 2.0 : f64}", "%0", "b"),
           unary("%0", "scale {factor = 3.0 : f64}", "%x", "b") +
               unary("%y", "scale {factor = 4.0 : f64}", "%0", "b"));
  ASSERT_EQ(result.changes.size(), 2u);
  const OriginChange &a = result.changes[0], &b = result.changes[1];
  EXPECT_EQ(a.origin, "a");
  EXPECT_EQ(a.removed, (std::map<std::string, int64_t>{{"softmax", 1}}));
  EXPECT_TRUE(a.added.empty() && a.changed.empty());
  EXPECT_EQ(a.bytesBefore, 48);
  EXPECT_EQ(a.bytesAfter, 0);
  EXPECT_EQ(b.added, (std::map<std::string, int64_t>{{"scale", 1}}));
  ASSERT_EQ(b.changed.size(), 1u);
  EXPECT_EQ(b.changed[0], (ChangedOp{"scale", "factor = 2.000000e+00 : f64",
                                     "factor = 3.000000e+00 : f64"}));
}

TEST_F(Diffs, CountTheFewestOpsThatMoved) {
  auto chain = [](const std::vector<std::string> &origins) {
    std::string body, last = "%x";
    for (size_t i = 0; i < origins.size(); ++i) {
      std::string name = i + 1 == origins.size() ? "%y" : fmt::format("%{}", i);
      body += unary(name, "softmax", last, origins[i]);
      last = name;
    }
    return body;
  };
  auto moved = [&](const std::vector<std::string> &after) {
    return diff(chain({"a", "b", "c", "d"}), chain(after)).numMoved;
  };
  EXPECT_EQ(moved({"a", "b", "c", "d"}), 0);
  EXPECT_EQ(moved({"d", "a", "b", "c"}), 1);
  EXPECT_EQ(moved({"c", "d", "a", "b"}), 2);
  EXPECT_EQ(moved({"d", "c", "b", "a"}), 3);
}
