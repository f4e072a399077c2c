#include "support/Activation.h"

#include <gtest/gtest.h>

using namespace tandem;

TEST(Activation, IsParsedFromItsName) {
  for (std::string_view text :
       {"gelu_tanh", "gelu_erf", "relu", "silu", "tanh"}) {
    auto activation = parseActivation(text);
    ASSERT_TRUE(activation) << text;
    EXPECT_EQ(name(*activation), text);
  }
  for (std::string_view text : {"", "none", "gelu", "Relu", "tanh "})
    EXPECT_FALSE(parseActivation(text)) << text;
}
