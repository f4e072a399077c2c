#include "backend/kernels/Range.h"
#include "tests/unit/kernels/KernelCall.h"

namespace tandem::testing {

TEST(Registry, UnknownNamesAreRefusedWithThoseThatExist) {
  auto kernel = createKernel("conv", {});
  ASSERT_FALSE(kernel);
  EXPECT_TRUE(kernel.error().message.starts_with(
      "kernel: got 'conv', expected one of activation, add, "))
      << kernel.error().message;
}

TEST(Registry, OperandsAreCheckedByName) {
  KernelCall call{
      "layer_norm", {floats({2, 8}), floats({8})}, {floats({2, 8})}, {}};
  EXPECT_EQ(call.creationError(), "layer_norm: inputs: got 2, expected 3");
  call.inputs.push_back(floats({8}));
  EXPECT_EQ(call.creationError(),
            "layer_norm: attribute 'epsilon': got none, expected one");
  call.attributes["epsilon"] = int64_t(1);
  EXPECT_EQ(call.creationError(),
            "layer_norm: attribute 'epsilon': got another type than expected");
  call.attributes["epsilon"] = 1e-5;
  EXPECT_EQ(call.creationError(), "");
  call.inputs[0] = strided({2, 8}, 24);
  EXPECT_EQ(call.creationError(),
            "layer_norm: operand 'x': got row stride 24, expected 8");
  call.inputs[0] = floats({2, dynamicDim});
  EXPECT_EQ(call.creationError(),
            "layer_norm: operand 'x': got shape [2, -1], expected known sizes "
            "above 0");
}

TEST(Range, PartsCoverEverythingOnce) {
  for (int64_t count : {0, 1, 2, 7, 12, 786})
    for (int64_t parts : {1, 2, 3, 5}) {
      int64_t next = 0;
      for (int64_t part = 0; part < parts; ++part) {
        Range range = split(count, part, parts);
        EXPECT_EQ(range.begin, next);
        EXPECT_LE(range.size(), count / parts + 1);
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
}

} // namespace tandem::testing
