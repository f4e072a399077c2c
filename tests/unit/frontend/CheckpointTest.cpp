#include "frontend/Checkpoint.h"

#include "frontend/Gpt2Parameters.h"
#include "tests/unit/support/TemporaryFolder.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr auto config = R"({"vocab_size": 5, "n_positions": 3, "n_embd": 2,
  "n_layer": 1, "n_head": 1, "n_inner": 4, "tie_word_embeddings": true})";
constexpr auto untiedConfig = R"({"vocab_size": 5, "n_positions": 3,
  "n_embd": 2, "n_layer": 1, "n_head": 1, "n_inner": 4,
  "tie_word_embeddings": false})";

class CheckpointTest : public TemporaryFolderTest {
protected:
  void SetUp() override {
    TemporaryFolderTest::SetUp();
    write("config.json", config);
    tensors = gpt2Parameters(*readModelConfig(folder / "config.json"));
    for (TensorShape &tensor : tensors)
      tensor.name = "transformer." + tensor.name;
  }

  TensorShape &tensor(std::string_view name) {
    return *std::ranges::find(tensors, name, &TensorShape::name);
  }

  /// Writes some of the tensors, each filled with its index.
  void save(std::string_view name, size_t first = 0, size_t count = SIZE_MAX) {
    std::vector<NamedTensor> named;
    std::vector<std::vector<float>> values;
    for (size_t i = first; i < tensors.size() && i - first < count; ++i)
      values.emplace_back(tensors[i].numElements(), static_cast<float>(i));
    for (size_t i = 0; i < values.size(); ++i)
      named.push_back({tensors[first + i], values[i]});
    ASSERT_TRUE(writeSafetensors(folder / name, named));
  }

  void writeIndex(std::string_view extra = "") {
    std::string map;
    for (size_t i = 0; i < tensors.size(); ++i)
      map += fmt::format(R"({}"{}": "{}.safetensors")", i ? "," : "",
                         tensors[i].name, i < 6 ? "one" : "two");
    write("model.safetensors.index.json",
          fmt::format(R"({{"weight_map": {{{}{}}}}})", map, extra));
  }

  std::string error() { return messageOf(openCheckpoint(folder), folder); }

  std::vector<TensorShape> tensors;
};

TEST_F(CheckpointTest, GivesCanonicalNames) {
  save("model.safetensors");
  auto checkpoint = openCheckpoint(folder);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  EXPECT_EQ(checkpoint->weights.tensors.size(), 16u);
  const TensorView &view =
      checkpoint->weights.tensors.at("h.0.mlp.c_fc.weight");
  EXPECT_EQ(view.shape, (std::vector<int64_t>{2, 4}));
  float values[8];
  convertToFloat(view, values);
  EXPECT_EQ(values[7], 10.0f); // its index
}

TEST_F(CheckpointTest, TakesNamesWithoutPrefixAndSetsMasksAside) {
  for (TensorShape &tensor : tensors)
    tensor.name = tensor.name.substr(12);
  tensors.push_back({"h.0.attn.bias", {1, 1, 3, 3}});
  tensors.push_back({"h.0.attn.masked_bias", {}});
  tensors.push_back({"lm_head.weight", {5, 2}});
  save("model.safetensors");
  auto checkpoint = openCheckpoint(folder);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  EXPECT_EQ(checkpoint->weights.tensors.size(), 16u);
}

TEST_F(CheckpointTest, NeedsTheHeadWhereItIsNotTied) {
  write("config.json", untiedConfig);
  save("model.safetensors");
  EXPECT_EQ(messageOf(openCheckpoint(folder), folder.parent_path())
                .substr(folder.filename().string().size()),
            ": tensor \"lm_head.weight\": got none, expected shape [5, 2]");
  tensors.push_back({"lm_head.weight", {5, 2}});
  save("model.safetensors");
  auto checkpoint = openCheckpoint(folder);
  ASSERT_TRUE(checkpoint);
  EXPECT_TRUE(checkpoint->weights.tensors.contains("lm_head.weight"));
}

TEST_F(CheckpointTest, RefusesAWrongShape) {
  tensor("transformer.h.0.attn.c_attn.weight").shape = {6, 2};
  save("model.safetensors");
  EXPECT_EQ(error(),
            "model.safetensors: tensor \"transformer.h.0.attn.c_attn.weight\": "
            "got shape [6, 2], expected [2, 6]");
}

TEST_F(CheckpointTest, RefusesTensorsWithoutAPlace) {
  tensors.push_back({"transformer.h.1.ln_1.weight", {2}});
  save("model.safetensors");
  EXPECT_EQ(error(),
            "model.safetensors: tensor \"transformer.h.1.ln_1.weight\": got a "
            "name that has no place in a GPT-2 of 1 layers, expected only its "
            "weights");
}

TEST_F(CheckpointTest, RefusesATensorUnderBothNames) {
  tensors.push_back({"ln_f.bias", {2}});
  save("model.safetensors");
  EXPECT_EQ(error(),
            "model.safetensors: tensor \"transformer.ln_f.bias\": got it again "
            "as \"ln_f.bias\" in model.safetensors, expected it once");
}

TEST_F(CheckpointTest, OpensShards) {
  save("one.safetensors", 0, 6);
  save("two.safetensors", 6);
  writeIndex();
  auto checkpoint = openCheckpoint(folder);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  EXPECT_EQ(checkpoint->weights.tensors.size(), 16u);
  EXPECT_EQ(checkpoint->weights.files.size(), 2u);
}

TEST_F(CheckpointTest, RefusesShardsThatDoNotMatchTheIndex) {
  save("one.safetensors", 0, 6);
  writeIndex();
  EXPECT_EQ(error(), "two.safetensors: cannot open: No such file or directory");
  save("two.safetensors", 7);
  EXPECT_EQ(error(), "model.safetensors.index.json: tensor \"" +
                         tensors[6].name +
                         "\": got none in two.safetensors, expected it there");
  save("two.safetensors", 5);
  EXPECT_EQ(error(), "two.safetensors: tensor \"" + tensors[5].name +
                         "\": got it in this shard, expected only what "
                         "model.safetensors.index.json lists for it");
}

TEST_F(CheckpointTest, RefusesABadIndex) {
  writeIndex(R"(, "x": "../one.safetensors")");
  EXPECT_EQ(error(), "model.safetensors.index.json: tensor \"x\": got "
                     "\"../one.safetensors\", expected the name of a file in "
                     "the same folder");
  write("model.safetensors.index.json", R"({"weight_map": []})");
  EXPECT_EQ(error(), "model.safetensors.index.json: weight_map: got [], "
                     "expected an object of tensor names and files");
}

TEST_F(CheckpointTest, SaysWhatIsMissingFromAFolder) {
  auto inside = folder / "inside";
  EXPECT_EQ(messageOf(openCheckpoint(inside), folder),
            "inside: got no such folder or file, expected a model folder, a "
            ".mlir file or a .tandem file");
  std::filesystem::create_directory(inside);
  EXPECT_EQ(messageOf(openCheckpoint(inside), folder),
            "inside/config.json: cannot open: No such file or directory");
  write("inside/config.json", config);
  EXPECT_EQ(messageOf(openCheckpoint(inside), folder),
            "inside: got no weights, expected model.safetensors or "
            "model.safetensors.index.json");
}

TEST(DefaultModelTest, Loads) {
  auto checkpoint = openCheckpoint(TANDEM_MODELS "/shakespeare");
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  EXPECT_EQ(checkpoint->config.embed, 192);
  EXPECT_EQ(checkpoint->config.eosTokens, std::vector<int64_t>{1023});
  EXPECT_EQ(checkpoint->weights.tensors.at("wte.weight").type,
            ElementType::F16);
}

} // namespace
} // namespace tandem
