#include "tests/unit/kernels/KernelCall.h"

#include <algorithm>
#include <cmath>

namespace tandem::testing {

TEST(Movement, EmbeddingFromRowsAndPanels) {
  int64_t vocabulary = 150, columns = 35;
  Floats table = randomFloats(vocabulary * columns, 1);
  Floats inPanels = toPanels(table, columns, vocabulary, Layout::RowPanels);
  Ints ids = {149, 0, 64, 63, 64};
  for (int threads : {1, 2, 3})
    for (Layout layout : {Layout::Plain, Layout::RowPanels}) {
      Floats out(5 * columns, NAN);
      KernelCall call{"embedding",
                      {panels({vocabulary, columns}, layout), ints({5})},
                      {floats({5, columns})},
                      {}};
      call.run({layout == Layout::Plain ? table.data() : inPanels.data(),
                ids.data()},
               {out.data()}, threads);
      for (int64_t i = 0; i < 5 * columns; ++i)
        EXPECT_EQ(out[i], table[ids[i / columns] * columns + i % columns]);
    }
}

TEST(Movement, AddEmbeddingSumsRowsOfTwoTables) {
  int64_t words = 150, places = 70, columns = 35;
  Floats lhs = randomFloats(words * columns, 1);
  Floats rhs = randomFloats(places * columns, 2);
  Floats lhsPanels = toPanels(lhs, columns, words, Layout::RowPanels);
  Floats rhsPanels = toPanels(rhs, columns, places, Layout::RowPanels);
  Ints lhsIds = {149, 0, 64, 63, 64}, rhsIds = {0, 69, 63, 64, 1};
  for (int threads : {1, 2, 3})
    for (Layout lhsLayout : {Layout::Plain, Layout::RowPanels})
      for (Layout rhsLayout : {Layout::Plain, Layout::RowPanels}) {
        Floats out(5 * columns, NAN);
        KernelCall call{"add_embedding",
                        {panels({words, columns}, lhsLayout), ints({5}),
                         panels({places, columns}, rhsLayout), ints({5})},
                        {floats({5, columns})},
                        {}};
        call.run({(lhsLayout == Layout::Plain ? lhs : lhsPanels).data(),
                  lhsIds.data(),
                  (rhsLayout == Layout::Plain ? rhs : rhsPanels).data(),
                  rhsIds.data()},
                 {out.data()}, threads);
        for (int64_t i = 0; i < 5 * columns; ++i)
          EXPECT_EQ(out[i],
                    lhs[lhsIds[i / columns] * columns + i % columns] +
                        rhs[rhsIds[i / columns] * columns + i % columns]);
      }
}

TEST(Movement, AddEmbeddingRefusesTablesThatDoNotMeet) {
  KernelCall call{"add_embedding",
                  {floats({9, 4}), ints({2}), floats({7, 5}), ints({2})},
                  {floats({2, 4})},
                  {}};
  EXPECT_EQ(call.creationError(),
            "add_embedding: operand 'out': got shape [2, 4], expected [2, 5]");
  call.inputs[2] = panels({7, 4}, Layout::ColumnPanels);
  EXPECT_EQ(call.creationError(),
            "add_embedding: operand 'rhs_table': got column panels, expected "
            "plain or row panels");
}

TEST(Movement, ReshapeCopies) {
  Floats x = randomFloats(6 * 35, 1), out(x.size(), NAN);
  KernelCall call{"reshape", {floats({6, 35})}, {floats({2, 3, 5, 7})}, {}};
  for (int threads : {1, 2, 3}) {
    call.run({x.data()}, {out.data()}, threads);
    EXPECT_EQ(out, x);
  }
  call.outputs[0] = floats({6, 34});
  EXPECT_EQ(call.creationError(),
            "reshape: elements of 'out': got 204, expected 210");
}

TEST(Movement, TransposePermutes) {
  std::vector<int64_t> shape = {2, 3, 5, 7};
  Floats x = randomFloats(210, 1);
  std::vector<int64_t> permutation = {0, 1, 2, 3};
  do {
    std::vector<int64_t> outShape;
    for (int64_t dim : permutation)
      outShape.push_back(shape[dim]);
    KernelCall call{"transpose",
                    {floats(shape)},
                    {floats(outShape)},
                    {{"permutation", permutation}}};
    for (int threads : {1, 3}) {
      Floats out(x.size(), NAN);
      call.run({x.data()}, {out.data()}, threads);
      for (int64_t i = 0; i < 210; ++i) {
        int64_t index[4], rest = i;
        for (int d = 3; d >= 0; rest /= outShape[d], --d)
          index[permutation[d]] = rest % outShape[d];
        int64_t from =
            ((index[0] * 3 + index[1]) * 5 + index[2]) * 7 + index[3];
        ASSERT_EQ(out[i], x[from]);
      }
    }
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  KernelCall call{"transpose",
                  {floats({2, 3})},
                  {floats({3, 2})},
                  {{"permutation", std::vector<int64_t>{1, 1}}}};
  EXPECT_EQ(call.creationError(), "transpose: 'permutation': got 1 twice");
}

TEST(Movement, SliceTakesARange) {
  std::vector<int64_t> shape = {4, 5, 6};
  Floats x = randomFloats(120, 1);
  for (int64_t dim : {0, 1, 2})
    for (int64_t offset : {0, 1, 2})
      for (int threads : {1, 2, 3}) {
        auto outShape = shape;
        outShape[dim] = 2;
        Floats out(outShape[0] * outShape[1] * outShape[2], NAN);
        KernelCall call{"slice",
                        {floats(shape)},
                        {floats(outShape)},
                        {{"dim", dim}, {"offset", offset}}};
        call.run({x.data()}, {out.data()}, threads);
        size_t i = 0;
        for (int64_t a = 0; a < outShape[0]; ++a)
          for (int64_t b = 0; b < outShape[1]; ++b)
            for (int64_t c = 0; c < outShape[2]; ++c, ++i)
              ASSERT_EQ(out[i], x[((a + (dim == 0 ? offset : 0)) * 5 + b +
                                   (dim == 1 ? offset : 0)) *
                                      6 +
                                  c + (dim == 2 ? offset : 0)]);
      }
  KernelCall call{"slice",
                  {floats({4, 5})},
                  {floats({4, 2})},
                  {{"dim", int64_t(1)}, {"offset", int64_t(4)}}};
  EXPECT_EQ(call.creationError(),
            "slice: attribute 'offset': got 4, expected 0 to 3");
}

} // namespace tandem::testing
