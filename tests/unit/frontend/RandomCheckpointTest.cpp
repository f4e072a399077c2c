#include "frontend/RandomCheckpoint.h"

#include "frontend/Checkpoint.h"
#include "frontend/Gpt2Parameters.h"
#include "frontend/RandomNormal.h"
#include "tests/unit/support/TemporaryFolder.h"

#include <cmath>
#include <cstring>

namespace tandem {
namespace {

class RandomCheckpointTest : public TemporaryFolderTest {
protected:
  RandomCheckpointTest() {
    config.vocabSize = 50;
    config.positions = 8;
    config.embed = 6;
    config.heads = 2;
    config.layers = 2;
    config.inner = 10;
    config.eosTokens = {49};
  }

  std::vector<float> weight(const std::filesystem::path &model,
                            const std::string &name) {
    auto checkpoint = openCheckpoint(model);
    if (!checkpoint)
      return {};
    const TensorView &view = checkpoint->weights.tensors.at(name);
    std::vector<float> values(static_cast<size_t>(view.numElements()));
    convertToFloat(view, values.data());
    return values;
  }

  ModelConfig config;
};

TEST(RandomNormalTest, HasTheMomentsOfANormalDistribution) {
  std::vector<float> values(1 << 20);
  fillNormal(1, 0, 2, values);
  double sum = 0, squares = 0, fourth = 0;
  for (double value : values) {
    sum += value;
    squares += value * value;
    fourth += value * value * value * value;
  }
  // Four standard errors each: sigma / sqrt(n), sigma^2 sqrt(2 / n),
  // sigma^4 sqrt(96 / n), with sigma = 2 and n = 2^20.
  double n = static_cast<double>(values.size());
  EXPECT_NEAR(sum / n, 0, 8e-3);
  EXPECT_NEAR(squares / n, 4, 2.3e-2);
  EXPECT_NEAR(fourth / n, 48, 0.62);
}

TEST(RandomNormalTest, DoesNotDependOnPieces) {
  std::vector<float> whole(9), pieces(9);
  fillNormal(7, 0, 1, whole);
  fillNormal(7, 4, 1, std::span(pieces).subspan(4));
  fillNormal(7, 0, 1, std::span(pieces).first(4));
  EXPECT_EQ(whole, pieces);
}

TEST_F(RandomCheckpointTest, WritesAModelThatOpens) {
  auto model = folder / "new" / "model";
  ASSERT_TRUE(writeRandomCheckpoint(config, model, 1));
  auto checkpoint = openCheckpoint(model);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  EXPECT_EQ(checkpoint->config, config);
  EXPECT_EQ(weight(model, "h.1.ln_2.weight"), std::vector<float>(6, 1));
  EXPECT_EQ(weight(model, "h.1.mlp.c_fc.bias"), std::vector<float>(10, 0));
  EXPECT_NE(weight(model, "h.0.attn.c_proj.weight"),
            weight(model, "h.1.attn.c_proj.weight"));
}

TEST_F(RandomCheckpointTest, DependsOnTheSeedAlone) {
  ASSERT_TRUE(writeRandomCheckpoint(config, folder / "a", 1));
  ASSERT_TRUE(writeRandomCheckpoint(config, folder / "b", 1));
  ASSERT_TRUE(writeRandomCheckpoint(config, folder / "c", 2));
  EXPECT_EQ(weight(folder / "a", "wte.weight"),
            weight(folder / "b", "wte.weight"));
  EXPECT_NE(weight(folder / "a", "wte.weight"),
            weight(folder / "c", "wte.weight"));
}

TEST_F(RandomCheckpointTest, RefusesAFolderInUse) {
  std::filesystem::create_directory(folder / "empty");
  EXPECT_TRUE(writeRandomCheckpoint(config, folder / "empty", 1));
  EXPECT_EQ(
      messageOf(writeRandomCheckpoint(config, folder / "empty", 1), folder),
      "empty: got a folder with files in it, expected an empty or a new "
      "one");
  write("file", "");
  EXPECT_EQ(
      messageOf(writeRandomCheckpoint(config, folder / "file", 1), folder),
      "file: cannot make this folder: Not a directory");
}

TEST_F(RandomCheckpointTest, KnowsTheModelsByName) {
  EXPECT_EQ(numParameters(*knownModelConfig("gpt2")), 124'439'808);
  EXPECT_EQ(numParameters(*knownModelConfig("gpt2-medium")), 354'823'168);
  EXPECT_EQ(numParameters(*knownModelConfig("gpt2-large")), 774'030'080);
  EXPECT_EQ(numParameters(*knownModelConfig("gpt2-xl")), 1'557'611'200);
  EXPECT_EQ(numParameters(*knownModelConfig("distilgpt2")), 81'912'576);
  EXPECT_EQ(messageOf(writeRandomCheckpoint("gpt3", folder / "x", 1), folder),
            "init: got model \"gpt3\", expected one of gpt2, gpt2-medium, "
            "gpt2-large, gpt2-xl, distilgpt2");
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

} // namespace
} // namespace tandem
