#include "Interpretation.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

namespace {

/// Two sequences of up to 4 positions in blocks of 2; one head of size 1.
constexpr const char *module = R"(
  !cache = !tandem.kv_cache<layers = 2, heads = 1, head_size = 1, block = 2, positions = 4, f32>
  func.func @append(%c: !cache, %k: tensor<2x1xf32>, %v: tensor<2x1xf32>,
                    %p: tensor<2xi32>, %s: tensor<2xi32>, %t: tensor<2x2xi32>,
                    %n: tensor<1xi32>) -> !cache {
    %d = tandem.kv_append %c, %k, %v rows(%p, %s, %t, %n) {layer = 1 : i64}
      : (!cache, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2xi32>,
         tensor<2xi32>, tensor<2x2xi32>, tensor<1xi32>) -> !cache
    return %d : !cache
  }
  func.func @read(%c: !cache, %p: tensor<2xi32>, %s: tensor<2xi32>,
                  %t: tensor<2x2xi32>, %n: tensor<1xi32>) -> tensor<1x2x?x1xf32> {
    %k = tandem.kv_read %c rows(%p, %s, %t, %n)
        {layer = 1 : i64, num_sequences = 2 : i64, part = #tandem<part key>}
      : (!cache, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<1xi32>)
      -> tensor<1x2x?x1xf32>
    return %k : tensor<1x2x?x1xf32>
  }
  func.func @read_bounded(%c: !cache, %p: tensor<2xi32>, %s: tensor<2xi32>,
                          %t: tensor<2x2xi32>, %n: tensor<1xi32>) -> tensor<1x1x3x1xf32> {
    %k = tandem.kv_read %c rows(%p, %s, %t, %n)
        {layer = 1 : i64, num_sequences = 1 : i64, num_positions = 3 : i64, part = #tandem<part value>}
      : (!cache, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>, tensor<1xi32>)
      -> tensor<1x1x3x1xf32>
    return %k : tensor<1x1x3x1xf32>
  }
  func.func @attend(%q: tensor<2x1xf32>, %c: !cache, %p: tensor<2xi32>,
                    %s: tensor<2xi32>, %t: tensor<2x2xi32>, %n: tensor<1xi32>)
      -> tensor<2x1xf32> {
    %y = tandem.cached_attention %q, %c rows(%p, %s, %t, %n)
        {layer = 1 : i64, scale = 2.0 : f64}
      : (tensor<2x1xf32>, !cache, tensor<2xi32>, tensor<2xi32>,
         tensor<2x2xi32>, tensor<1xi32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  })";

Array ids(std::vector<double> values) {
  return Array({static_cast<int64_t>(values.size())}, values);
}

/// Sequence 0 has blocks 3 and 1, sequence 1 block 0 and none.
const Array tables({2, 2}, {3, 1, 0, -1});

class InterpreterCache : public testing::Test {
protected:
  void append(std::vector<double> keys, std::vector<double> positions,
              std::vector<double> sequences, double valid) {
    Array k({2, 1}, keys), v({2, 1}, {keys[0] * 10, keys[1] * 10});
    auto results = ir.run(
        "append", {k, v, ids(positions), ids(sequences), tables, ids({valid})});
    EXPECT_TRUE(succeeded(results)) << ir.errors();
    EXPECT_TRUE(results->empty()); // the cache is no array
  }

  Array run(const char *function, std::vector<Array> inputs) {
    auto results = ir.run(function, inputs);
    EXPECT_TRUE(succeeded(results)) << ir.errors();
    return succeeded(results) ? results->at(0) : Array();
  }

  Interpretation ir{module};
  KvCacheState &cache = ir.makeCache(4);
};

TEST_F(InterpreterCache, AppendGoesThroughTheBlockTable) {
  append({5, 6}, {3, 0}, {0, 1}, 2);
  EXPECT_EQ(*cache.at(1, 1, KvPart::Key, 0, 1), 5);
  EXPECT_EQ(*cache.at(1, 1, KvPart::Value, 0, 1), 50);
  EXPECT_EQ(*cache.at(0, 1, KvPart::Key, 0, 0), 6);
  EXPECT_EQ(llvm::count(cache.elements, 0.0), 4 * 2 * 2 * 2 - 4);
}

TEST_F(InterpreterCache, RowsPastValidWriteNothing) {
  append({5, 6}, {0, 1}, {0, 0}, 1);
  EXPECT_EQ(*cache.at(3, 1, KvPart::Key, 0, 0), 5);
  EXPECT_EQ(*cache.at(3, 1, KvPart::Key, 0, 1), 0);
}

TEST_F(InterpreterCache, ReadEndsAtTheLargestPositionOfAValidRow) {
  append({1, 2}, {0, 1}, {0, 0}, 2);
  append({3, 9}, {2, 0}, {0, 1}, 2);
  Array both = run("read", {ids({2, 0}), ids({0, 1}), tables, ids({2})});
  expectArray(both, {1, 2, 3, 1}, {1, 2, 3, 9, 0, 0});
  // The second group is past valid: its position counts for nothing.
  Array first = run("read", {ids({0, 3}), ids({0, 1}), tables, ids({1})});
  expectArray(first, {1, 2, 1, 1}, {1, 0});
}

TEST_F(InterpreterCache, ReadOfBoundedLength) {
  append({1, 2}, {0, 1}, {0, 0}, 2);
  std::vector<Array> rows = {ids({0, 1}), ids({0, 0}), tables, ids({2})};
  expectArray(run("read_bounded", rows), {1, 1, 3, 1}, {10, 20, 0});
  rows[0] = ids({0, 3});
  EXPECT_TRUE(failed(ir.run("read_bounded", rows)));
  EXPECT_NE(ir.errors().find("got 3, expected less than num_positions, 3"),
            std::string::npos)
      << ir.errors();
}

// Scores are 2 q k: for q = ln(2) / 2, exp(score) is 2^k.
TEST_F(InterpreterCache, CachedAttentionSeesItsOwnSequenceSoFar) {
  append({1, 2}, {0, 1}, {0, 0}, 2);
  append({3, 4}, {2, 0}, {0, 1}, 2);
  double q = std::log(2.0) / 2;
  Array y = run("attend", {Array({2, 1}, {q, q}), ids({1, 0}), ids({0, 1}),
                           tables, ids({2})});
  expectArray(y, {2, 1}, {(2. * 10 + 4. * 20) / 6, 40});
  y = run("attend",
          {Array({2, 1}, {q, q}), ids({1, 0}), ids({0, 1}), tables, ids({1})});
  expectArray(y, {2, 1}, {(2. * 10 + 4. * 20) / 6, 0});
}

TEST_F(InterpreterCache, RefusesRowsOutsideTheCache) {
  Array kv({2, 1}, {1, 2});
  auto fails = [&](std::vector<double> positions, std::vector<double> sequences,
                   const char *message) {
    EXPECT_TRUE(failed(ir.run(
        "append", {kv, kv, ids(positions), ids(sequences), tables, ids({2})})));
    EXPECT_NE(ir.errors().find(message), std::string::npos) << ir.errors();
  };
  fails({0, 4}, {0, 0}, "positions: got 4 in row 1, expected 0 to 3");
  fails({0, 2}, {0, 1}, "got no block for position 2 of row 1's sequence");
  fails({0, 0}, {2, 0}, "got no block for position 0 of row 0's sequence");
}

TEST(InterpreterCacheArgument, MustBeOfTheFunctionsType) {
  Interpretation ir(module);
  EXPECT_TRUE(
      failed(ir.run("read", {ids({0, 0}), ids({0, 0}), tables, ids({1})})));
  EXPECT_NE(ir.errors().find("cache of 'read': got none, expected"),
            std::string::npos)
      << ir.errors();
}

} // namespace
