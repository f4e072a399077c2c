// Shapes stand beside values, in the legend of ModelConfig.h.

#include "frontend/Gpt2Graph.h"

#include "frontend/GraphBuilder.h"

#include <cmath>

using namespace mlir;
using namespace tandem;

namespace {

class Gpt2Builder {
public:
  Gpt2Builder(MLIRContext &context, const ModelConfig &config)
      : config(config), graph(context, config.positions) {}

  OwningOpRef<ModuleOp> build();

private:
  Value embeddings();
  Value layer(Value x, int64_t index);
  Value attention(Value x, const std::string &name, int64_t index);
  Value mlp(Value x, const std::string &name);
  Value head(Value x);

  Value layerNorm(Value x, const std::string &name);
  Value linear(Value x, const std::string &name, int64_t in, int64_t out);
  Value oneOfThree(Value qkv, int64_t which);
  Value scaled(Value scores, int64_t layerIndex);
  ActivationKindAttr activation();

  template <typename Op, typename... Args> Value add(Args &&...args) {
    return graph.add<Op>(std::forward<Args>(args)...);
  }

  const ModelConfig &config;
  GraphBuilder graph;
};

} // namespace

OwningOpRef<ModuleOp> Gpt2Builder::build() {
  Value x = embeddings();
  for (int64_t i = 0; i < config.layers; ++i)
    x = layer(x, i);
  OwningOpRef<ModuleOp> module = graph.finish(head(layerNorm(x, "ln_f")));
  if (!config.eosTokens.empty())
    (*module)->setAttr(
        eosTokensAttrName,
        DenseI64ArrayAttr::get(module->getContext(), config.eosTokens));
  return module;
}

Value Gpt2Builder::embeddings() {
  graph.locate("wte");
  Value table = graph.weight("wte.weight", {config.vocabSize, config.embed});
  Value tokens =
      add<EmbeddingOp>(table, graph.tokens(), ValueRange{}); // [T, d]
  graph.locate("wpe");
  table = graph.weight("wpe.weight", {config.positions, config.embed});
  Value positions = add<EmbeddingOp>(table, graph.positions(), ValueRange{});
  return add<AddOp>(tokens, positions, ValueRange{});
}

/// x [T, d] and out [T, d].
Value Gpt2Builder::layer(Value x, int64_t index) {
  std::string name = "h." + std::to_string(index);
  Value attended =
      attention(layerNorm(x, name + ".ln_1"), name + ".attn", index);
  x = add<AddOp>(attended, x, ValueRange{});
  Value thought = mlp(layerNorm(x, name + ".ln_2"), name + ".mlp");
  return add<AddOp>(thought, x, ValueRange{});
}

Value Gpt2Builder::attention(Value x, const std::string &name, int64_t index) {
  int64_t d = config.embed;
  Value qkv = linear(x, name + ".c_attn", d, 3 * d); // [T, 3 d]
  graph.locate(name);
  Value q = oneOfThree(qkv, 0); // [h, T, hd]
  Value k = oneOfThree(qkv, 1);
  Value v = oneOfThree(qkv, 2);
  Value scores = add<MatmulOp>(q, k, ValueRange{}, true); // [h, T, T]
  scores = scaled(scores, index);
  scores = add<CausalMaskOp>(scores, graph.positions(), ValueRange{});
  Value weights = add<SoftmaxOp>(scores, ValueRange{});
  Value out = add<MatmulOp>(weights, v, ValueRange{}, false); // [h, T, hd]
  out = add<TransposeOp>(out, ValueRange{}, ArrayRef<int64_t>{1, 0, 2});
  out = add<ReshapeOp>(out, ValueRange{}, ArrayRef<int64_t>{-1, d}); // [T, d]
  return linear(out, name + ".c_proj", d, d);
}

/// The queries, keys or values in qkv [T, 3 d], by head: [h, T, hd].
Value Gpt2Builder::oneOfThree(Value qkv, int64_t which) {
  int64_t d = config.embed;
  Value part = add<SliceOp>(qkv, ValueRange{}, 1, which * d, d); // [T, d]
  int64_t byHead[] = {-1, config.heads, config.headSize()};
  part = add<ReshapeOp>(part, ValueRange{}, ArrayRef(byHead)); // [T, h, hd]
  return add<TransposeOp>(part, ValueRange{}, ArrayRef<int64_t>{1, 0, 2});
}

Value Gpt2Builder::scaled(Value scores, int64_t layerIndex) {
  auto scale = [&](double factor) {
    scores = add<ScaleOp>(scores, ValueRange{}, APFloat(factor));
  };
  if (config.scaleAttentionWeights)
    scale(1 / std::sqrt(static_cast<double>(config.headSize())));
  if (config.scaleByInverseLayerIndex)
    scale(1 / static_cast<double>(layerIndex + 1));
  return scores;
}

Value Gpt2Builder::mlp(Value x, const std::string &name) {
  Value hidden =
      linear(x, name + ".c_fc", config.embed, config.inner); // [T, f]
  graph.locate(name + ".act");
  hidden = add<ActivationOp>(hidden, ValueRange{}, activation());
  return linear(hidden, name + ".c_proj", config.inner, config.embed);
}

ActivationKindAttr Gpt2Builder::activation() {
  auto kind = symbolizeActivationKind(name(config.activation));
  return ActivationKindAttr::get(graph.tokens().getContext(), *kind);
}

/// x [T, d]; the head's weight is [V, d].
Value Gpt2Builder::head(Value x) {
  std::string name = config.tieWordEmbeddings ? "wte" : "lm_head";
  graph.locate("lm_head");
  Value table =
      graph.weight(name + ".weight", {config.vocabSize, config.embed});
  return add<MatmulOp>(x, table, ValueRange{}, true); // [T, V]
}

Value Gpt2Builder::layerNorm(Value x, const std::string &name) {
  graph.locate(name);
  Value scale = graph.weight(name + ".weight", config.embed);
  Value bias = graph.weight(name + ".bias", config.embed);
  return add<LayerNormOp>(x, scale, bias, ValueRange{},
                          APFloat(config.layerNormEpsilon));
}

/// x [T, in] times a weight [in, out], plus a bias [out].
Value Gpt2Builder::linear(Value x, const std::string &name, int64_t in,
                          int64_t out) {
  graph.locate(name);
  Value weight = graph.weight(name + ".weight", {in, out});
  Value product = add<MatmulOp>(x, weight, ValueRange{}, false);
  return add<AddOp>(product, graph.weight(name + ".bias", out), ValueRange{});
}

OwningOpRef<ModuleOp> tandem::buildGpt2Forward(MLIRContext &context,
                                               const ModelConfig &config) {
  return Gpt2Builder(context, config).build();
}
