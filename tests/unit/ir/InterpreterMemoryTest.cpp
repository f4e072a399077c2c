#include "Interpretation.h"

#include <gtest/gtest.h>
#include <limits>

using namespace mlir;
using namespace tandem;

namespace {

constexpr double unwritten = std::numeric_limits<double>::quiet_NaN();

/// Two planned ops: %t = 2 x at byte 0, then %out = %t + 3 x, where 3 x lies
/// at `offset`.
std::string planned(int offset) {
  return R"(
  func.func @f(%arena: memref<32xi8>, %x: memref<3xf32>, %out: memref<3xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant )" +
         std::to_string(offset) + R"( : index
    %t = memref.view %arena[%c0][] : memref<32xi8> to memref<3xf32>
    %u = memref.view %arena[%c1][] : memref<32xi8> to memref<3xf32>
    tandem.scale %x into %t {factor = 2.0 : f64} : (memref<3xf32>, memref<3xf32>) -> ()
    tandem.scale %x into %u {factor = 3.0 : f64} : (memref<3xf32>, memref<3xf32>) -> ()
    tandem.add %t, %u into %out : (memref<3xf32>, memref<3xf32>, memref<3xf32>) -> ()
    return
  })";
}

const Array x({3}, {1, 2, 3});

TEST(InterpreterMemory, ViewsOfAnArena) {
  expectArray(interpretText(planned(12), x).at(0), {3}, {5, 10, 15});
}

// %u's first element is %t's last.
TEST(InterpreterMemory, OverlappingViewsShareBytes) {
  expectArray(interpretText(planned(8), x).at(0), {3}, {5, 10, 3 + 9});
}

TEST(InterpreterMemory, ViewMustLieInTheArena) {
  for (int offset : {24, 10}) {
    Interpretation ir(planned(offset));
    EXPECT_TRUE(failed(ir.run("f", x)));
    EXPECT_NE(ir.errors().find("byte shift: got " + std::to_string(offset)),
              std::string::npos)
        << ir.errors();
  }
}

TEST(InterpreterMemory, WhatNobodyWroteIsNaN) {
  auto y = interpretText(R"(
    func.func @f(%x: memref<2xf32>, %out: memref<2xf32>) {
      %t = memref.alloc() : memref<2xf32>
      tandem.add %x, %t into %out : (memref<2xf32>, memref<2xf32>, memref<2xf32>) -> ()
      return
    })",
                         Array({2}, {1, 2}));
  expectArray(y.at(0), {2}, {unwritten, unwritten});
}

TEST(InterpreterMemory, SubviewsAreStrided) {
  auto y = interpretText(R"(
    func.func @f(%x: memref<2x3xf32>, %out: memref<2x2xf32>) {
      %v = memref.subview %x[0, 1] [2, 2] [1, 1]
        : memref<2x3xf32> to memref<2x2xf32, strided<[3, 1], offset: 1>>
      tandem.scale %v into %out {factor = 1.0 : f64}
        : (memref<2x2xf32, strided<[3, 1], offset: 1>>, memref<2x2xf32>) -> ()
      return
    })",
                         Array({2, 3}, {1, 2, 3, 4, 5, 6}));
  expectArray(y.at(0), {2, 2}, {2, 3, 5, 6});
}

/// %t = x, then the op from %t to itself; then copied out.
std::string inPlace(const std::string &op) {
  return R"(
  func.func @f(%x: memref<2x2xf32>, %out: memref<2x2xf32>) {
    %t = memref.alloc() : memref<2x2xf32>
    tandem.scale %x into %t {factor = 1.0 : f64} : (memref<2x2xf32>, memref<2x2xf32>) -> ()
    tandem.)" +
         op + R"(
    memref.copy %t, %out : memref<2x2xf32> to memref<2x2xf32>
    return
  })";
}

TEST(InterpreterMemory, ElementwiseOpsMayWorkInPlace) {
  auto y = interpretText(inPlace("add %t, %x into %t : (memref<2x2xf32>, "
                                 "memref<2x2xf32>, memref<2x2xf32>) -> ()"),
                         Array({2, 2}, {1, 2, 3, 4}));
  expectArray(y.at(0), {2, 2}, {2, 4, 6, 8});
}

TEST(InterpreterMemory, MatmulMayNot) {
  auto y = interpretText(inPlace("matmul %t, %x into %t : (memref<2x2xf32>, "
                                 "memref<2x2xf32>, memref<2x2xf32>) -> ()"),
                         Array({2, 2}, {1, 2, 3, 4}));
  expectArray(y.at(0), {2, 2}, std::vector<double>(4, unwritten));
}

TEST(InterpreterMemory, LinearMayOverwriteItsResidual) {
  auto y = interpretText(
      inPlace("linear %x, %x residual(%t) into %t : (memref<2x2xf32>, "
              "memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>) -> ()"),
      Array({2, 2}, {1, 0, 0, 2}));
  expectArray(y.at(0), {2, 2}, {2, 0, 0, 6});
}

TEST(InterpreterMemory, LinearMayNotOverwriteWhatItMultiplies) {
  auto y = interpretText(
      inPlace("linear %t, %x residual(%t) into %t : (memref<2x2xf32>, "
              "memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>) -> ()"),
      Array({2, 2}, {1, 0, 0, 2}));
  expectArray(y.at(0), {2, 2}, std::vector<double>(4, unwritten));
}

// The scratch is the second half of %t, which is gone after the op.
TEST(InterpreterMemory, ScratchDestroysWhatItOverlaps) {
  auto y = interpretText(R"(
    func.func @f(%arena: memref<16xi8>, %x: memref<2x2xf32>, %out: memref<2x2xf32>,
                 %rest: memref<2x2xf32>) {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %t = memref.view %arena[%c0][] : memref<16xi8> to memref<2x2xf32>
      %s = memref.view %arena[%c8][] : memref<16xi8> to memref<5xi8>
      tandem.scale %x into %t {factor = 1.0 : f64} : (memref<2x2xf32>, memref<2x2xf32>) -> ()
      tandem.linear %x, %x scratch(%s) into %out
        : (memref<2x2xf32>, memref<2x2xf32>, memref<5xi8>, memref<2x2xf32>) -> ()
      memref.copy %t, %rest : memref<2x2xf32> to memref<2x2xf32>
      return
    })",
                         Array({2, 2}, {1, 0, 0, 2}));
  expectArray(y.at(0), {2, 2}, {1, 0, 0, 4});
  expectArray(y.at(1), {2, 2}, {1, 0, unwritten, unwritten});
}

TEST(InterpreterMemory, WeightsComeFromTheLookup) {
  Interpretation ir(R"(
    tandem.parameter @w : tensor<2xf32>
    func.func @f(%x: memref<2xf32>, %out: memref<2xf32>) {
      %w = tandem.weight @w : memref<2xf32>
      tandem.mul %x, %w into %out : (memref<2xf32>, memref<2xf32>, memref<2xf32>) -> ()
      return
    })");
  EXPECT_TRUE(failed(ir.run("f", Array({2}, {3, 4}))));
  EXPECT_NE(ir.errors().find("parameter: got no value for 'w'"),
            std::string::npos)
      << ir.errors();
  ir.weights["w"] = Array({2}, {10, 20});
  auto y = ir.run("f", Array({2}, {3, 4}));
  ASSERT_TRUE(succeeded(y)) << ir.errors();
  expectArray(y->at(0), {2}, {30, 80});
}

TEST(Interpreter, RefusesInputsThatDoNotFit) {
  Interpretation ir(planned(12));
  EXPECT_TRUE(failed(ir.run("f", Array({2}, {1, 2}))));
  EXPECT_TRUE(failed(ir.run("f", {})));
  EXPECT_TRUE(failed(ir.run("f", {x, x})));
  for (const char *message : {"argument 1 of 'f': got 2 elements of shape [2], "
                              "expected 'memref<3xf32>'",
                              "got 0, expected 1", "got 2, expected 1"})
    EXPECT_NE(ir.errors().find(message), std::string::npos) << ir.errors();
}

TEST(Interpreter, RefusesIdsOutsideTheTable) {
  Interpretation ir(R"(
    func.func @f(%t: tensor<3x1xf32>, %i: tensor<2xi32>) -> tensor<2x1xf32> {
      %y = tandem.embedding %t, %i : (tensor<3x1xf32>, tensor<2xi32>) -> tensor<2x1xf32>
      return %y : tensor<2x1xf32>
    })");
  EXPECT_TRUE(failed(ir.run("f", {Array::zeros({3, 1}), Array({2}, {0, 3})})));
  EXPECT_NE(ir.errors().find("ids: got 3 in row 1, expected 0 to 2"),
            std::string::npos)
      << ir.errors();
}

TEST(Interpreter, ChecksOpenDimensionsWhenItRuns) {
  Interpretation ir(R"(
    func.func @f(%a: tensor<?x1xf32>, %b: tensor<?x1xf32>) -> tensor<?x1xf32> {
      %y = tandem.add %a, %b : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
      return %y : tensor<?x1xf32>
    })");
  EXPECT_TRUE(
      succeeded(ir.run("f", {Array::zeros({2, 1}), Array::zeros({2, 1})})));
  EXPECT_TRUE(
      failed(ir.run("f", {Array::zeros({2, 1}), Array::zeros({3, 1})})));
  EXPECT_NE(ir.errors().find("operand 'rhs': got shape [3, 1] at run time, "
                             "expected [2, 1]"),
            std::string::npos)
      << ir.errors();
}

TEST(Interpreter, RefusesOpsItDoesNotKnow) {
  Interpretation ir(R"(
    func.func @f(%a: tensor<1xi32>) -> tensor<1xi32> {
      %y = arith.addi %a, %a : tensor<1xi32>
      return %y : tensor<1xi32>
    })");
  EXPECT_TRUE(failed(ir.run("f", Array::zeros({1}))));
  EXPECT_NE(ir.errors().find("got arith.addi, expected an op that"),
            std::string::npos)
      << ir.errors();
}

} // namespace
