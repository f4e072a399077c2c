#pragma once

#include "frontend/ModelConfig.h"
#include "frontend/SafetensorsWriter.h"

#include <string>
#include <vector>

namespace tandem {

/// Every weight of a GPT-2 with its shape, in the order of the graph: the one
/// table that loading checks against and `init` writes.
///
///   wte.weight [V, d]   wpe.weight [P, d]
///   h.N.ln_1.{weight, bias} [d]
///   h.N.attn.c_attn.weight [d, 3 d]   .bias [3 d]   query, key, value
///   h.N.attn.c_proj.weight [d, d]     .bias [d]
///   h.N.ln_2.{weight, bias} [d]
///   h.N.mlp.c_fc.weight [d, f]        .bias [f]
///   h.N.mlp.c_proj.weight [f, d]      .bias [d]
///   ln_f.{weight, bias} [d]
///   lm_head.weight [V, d]             where it is not tied to wte
///
/// Weights of linear layers are [in, out], but for lm_head, which is [out, in].
std::vector<TensorShape> gpt2Parameters(const ModelConfig &config);

/// How many numbers they hold together.
int64_t numParameters(const ModelConfig &config);

} // namespace tandem
