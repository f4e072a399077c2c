#include "frontend/ModelConfig.h"

#include "tests/unit/support/TemporaryFolder.h"

namespace tandem {
namespace {

class ModelConfigTest : public TemporaryFolderTest {
protected:
  Result<ModelConfig> read(std::string_view text) {
    return readModelConfig(write("config.json", text));
  }
  std::string error(std::string_view text) {
    return messageOf(read(text), folder);
  }
};

TEST_F(ModelConfigTest, HasTheDefaultsOfGpt2) {
  auto config = read("{}");
  ASSERT_TRUE(config);
  EXPECT_EQ(*config, ModelConfig{});
  EXPECT_EQ(config->headSize(), 64);
}

TEST_F(ModelConfigTest, ReadsEveryKey) {
  auto config = read(R"({"model_type": "gpt2", "vocab_size": 97,
    "n_positions": 64, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_inner": 40,
    "activation_function": "relu", "layer_norm_epsilon": 1e-6,
    "scale_attn_weights": false, "scale_attn_by_inverse_layer_idx": true,
    "tie_word_embeddings": false, "bos_token_id": 1, "eos_token_id": [2, 3],
    "add_cross_attention": false, "torch_dtype": "float32"})");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, (ModelConfig{97,
                                  64,
                                  32,
                                  3,
                                  4,
                                  40,
                                  Activation::Relu,
                                  1e-6,
                                  false,
                                  true,
                                  false,
                                  1,
                                  {2, 3}}));
}

TEST_F(ModelConfigTest, DerivesTheInnerWidthWhereItIsNull) {
  EXPECT_EQ(read(R"({"n_embd": 36, "n_inner": null})")->inner, 144);
}

TEST_F(ModelConfigTest, TakesEndTokensInEveryForm) {
  EXPECT_EQ(read(R"({"eos_token_id": 7})")->eosTokens, std::vector<int64_t>{7});
  EXPECT_EQ(read(R"({"eos_token_id": null})")->eosTokens,
            std::vector<int64_t>{});
  EXPECT_EQ(read(R"({"bos_token_id": null})")->bosToken, std::nullopt);
  EXPECT_EQ(error(R"({"eos_token_id": [1, "x"]})"),
            "config.json: eos_token_id: got [1,\"x\"], expected a token id, a "
            "list of them or null");
}

TEST_F(ModelConfigTest, KnowsHuggingFacesActivations) {
  for (auto [spelling, activation] :
       {std::pair{"gelu_new", Activation::GeluTanh},
        {"gelu_pytorch_tanh", Activation::GeluTanh},
        {"gelu_fast", Activation::GeluTanh},
        {"gelu", Activation::GeluErf},
        {"relu", Activation::Relu},
        {"silu", Activation::Silu},
        {"swish", Activation::Silu},
        {"tanh", Activation::Tanh}}) {
    auto config =
        read(fmt::format(R"({{"activation_function": "{}"}})", spelling));
    ASSERT_TRUE(config) << spelling;
    EXPECT_EQ(config->activation, activation) << spelling;
  }
  EXPECT_EQ(error(R"({"activation_function": "quick_gelu"})"),
            "config.json: activation_function: got \"quick_gelu\", expected "
            "one of gelu_new, gelu_pytorch_tanh, gelu_fast, gelu, gelu_python, "
            "relu, silu, swish, tanh");
}

TEST_F(ModelConfigTest, RefusesWhatIsNotAJsonObject) {
  EXPECT_EQ(messageOf(readModelConfig(folder / "none"), folder),
            "none: cannot open: No such file or directory");
  EXPECT_EQ(error(""), "config.json: got text that is not JSON (at byte 1), "
                       "expected a JSON object");
  EXPECT_EQ(error(R"({"n_embd": NaN})"),
            "config.json: got text that is not JSON (at byte 12), expected a "
            "JSON object");
  EXPECT_EQ(error("[1]"), "config.json: got [1], expected a JSON object");
  EXPECT_EQ(error(R"({"n_embd": 8, "n_embd": 8})"),
            "config.json: key \"n_embd\": got it twice, expected once");
}

TEST_F(ModelConfigTest, RefusesValuesOfTheWrongType) {
  EXPECT_EQ(error(R"({"n_embd": "768"})"),
            "config.json: n_embd: got \"768\", expected an integer from 1 to "
            "1048576");
  EXPECT_EQ(error(R"({"n_embd": 768.0})"),
            "config.json: n_embd: got 768.0, expected an integer from 1 to "
            "1048576");
  EXPECT_EQ(error(R"({"tie_word_embeddings": 1})"),
            "config.json: tie_word_embeddings: got 1, expected true or false");
  EXPECT_EQ(error(R"({"activation_function": ["gelu"]})"),
            "config.json: activation_function: got [\"gelu\"], expected a "
            "string");
}

TEST_F(ModelConfigTest, RefusesSizesOutOfRange) {
  EXPECT_EQ(error(R"({"n_layer": 0})"),
            "config.json: n_layer: got 0, expected an integer from 1 to 4096");
  EXPECT_EQ(error(R"({"vocab_size": -5})"),
            "config.json: vocab_size: got -5, expected an integer from 1 to "
            "16777216");
  EXPECT_EQ(error(R"({"n_positions": 18446744073709551615})"),
            "config.json: n_positions: got 18446744073709551615, expected an "
            "integer from 1 to 16777216");
  EXPECT_EQ(error(R"({"n_inner": 1e400})"),
            "config.json: got a number that is too large, expected a JSON "
            "object");
  EXPECT_EQ(error(R"({"n_embd": 32, "n_head": 5})"),
            "config.json: n_embd: got 32, expected a multiple of n_head, 5");
}

TEST_F(ModelConfigTest, RefusesOtherModels) {
  EXPECT_EQ(error(R"({"model_type": "llama"})"),
            "config.json: model_type: got \"llama\", expected \"gpt2\"");
  EXPECT_EQ(error(R"({"add_cross_attention": true})"),
            "config.json: add_cross_attention: got true, expected false");
  EXPECT_EQ(error(R"({"layer_norm_epsilon": -1e-5})"),
            "config.json: layer_norm_epsilon: got -1e-05, expected a number of "
            "at least 0");
}

TEST_F(ModelConfigTest, KeepsMessagesShortAndOnOneLine) {
  std::string message = error(fmt::format(R"({{"model_type": "line\nline{}"}})",
                                          std::string(500, 'x')));
  EXPECT_LT(message.size(), 150u);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST_F(ModelConfigTest, RefusesWhatIsNoPlainGpt2) {
  EXPECT_TRUE(read(R"({"architectures": ["GPT2LMHeadModel"],
    "quantization_config": null})"));
  EXPECT_TRUE(read(R"({"architectures": null})"));
  EXPECT_EQ(error(R"({"architectures": ["GPT2ForTokenClassification"]})"),
            "config.json: architectures: got \"GPT2ForTokenClassification\", "
            "expected \"GPT2LMHeadModel\" or \"GPT2Model\"");
  EXPECT_EQ(error(R"({"architectures": "GPT2Model"})"),
            "config.json: architectures: got \"GPT2Model\", expected a list of "
            "strings");
  EXPECT_EQ(error(R"({"quantization_config": {"bits": 4}})"),
            "config.json: quantization_config: got {\"bits\":4}, expected "
            "none: weights are F32, F16 or BF16 as they are");
}

} // namespace
} // namespace tandem
