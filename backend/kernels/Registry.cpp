#include "backend/kernels/CpuLevel.h"
#include "backend/kernels/Factories.h"

#include <utility>

namespace tandem {

static constexpr std::pair<std::string_view, KernelFactory> registry[] = {
    {"activation", createActivation},
    {"add", createAdd},
    {"add_embedding", createAddEmbedding},
    {"add_layer_norm", createAddLayerNorm},
    {"attention", createAttention},
    {"cached_attention", createCachedAttention},
    {"cast", createCast},
    {"causal_mask", createCausalMask},
    {"embedding", createEmbedding},
    {"kv_append", createKvAppend},
    {"kv_read", createKvRead},
    {"layer_norm", createLayerNorm},
    {"linear", createLinear},
    {"matmul", createMatmul},
    {"mul", createMul},
    {"reshape", createReshape},
    {"scale", createScale},
    {"slice", createSlice},
    {"softmax", createSoftmax},
    {"transpose", createTranspose},
};

Result<std::unique_ptr<Kernel>> createKernel(std::string_view name,
                                             const KernelSpec &spec) {
  if (const auto &level = cpuLevel(); !level)
    return std::unexpected(level.error());
  std::string known;
  for (auto [row, factory] : registry) {
    if (row == name)
      return factory(spec);
    known += known.empty() ? "" : ", ";
    known += row;
  }
  return failure("kernel: got '{}', expected one of {}", name, known);
}

} // namespace tandem
