#include "frontend/Gpt2Parameters.h"

namespace tandem {

static void appendLayer(const std::string &prefix, const ModelConfig &config,
                        std::vector<TensorShape> &list) {
  int64_t d = config.embed, f = config.inner;
  list.insert(list.end(), {{prefix + "ln_1.weight", {d}},
                           {prefix + "ln_1.bias", {d}},
                           {prefix + "attn.c_attn.weight", {d, 3 * d}},
                           {prefix + "attn.c_attn.bias", {3 * d}},
                           {prefix + "attn.c_proj.weight", {d, d}},
                           {prefix + "attn.c_proj.bias", {d}},
                           {prefix + "ln_2.weight", {d}},
                           {prefix + "ln_2.bias", {d}},
                           {prefix + "mlp.c_fc.weight", {d, f}},
                           {prefix + "mlp.c_fc.bias", {f}},
                           {prefix + "mlp.c_proj.weight", {f, d}},
                           {prefix + "mlp.c_proj.bias", {d}}});
}

std::vector<TensorShape> gpt2Parameters(const ModelConfig &config) {
  int64_t d = config.embed;
  std::vector<TensorShape> list{{"wte.weight", {config.vocabSize, d}},
                                {"wpe.weight", {config.positions, d}}};
  for (int64_t layer = 0; layer < config.layers; ++layer)
    appendLayer(fmt::format("h.{}.", layer), config, list);
  list.push_back({"ln_f.weight", {d}});
  list.push_back({"ln_f.bias", {d}});
  if (!config.tieWordEmbeddings)
    list.push_back({"lm_head.weight", {config.vocabSize, d}});
  return list;
}

int64_t numParameters(const ModelConfig &config) {
  int64_t count = 0;
  for (const TensorShape &parameter : gpt2Parameters(config))
    count += parameter.numElements();
  return count;
}

} // namespace tandem
