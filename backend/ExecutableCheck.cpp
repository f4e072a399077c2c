#include "backend/ExecutableCheck.h"

#include "backend/ProgramCheck.h"
#include "backend/SizeCheck.h"

#include <set>
#include <utility>

namespace tandem {

static constexpr int64_t maxThreads = 4096;

static Result<void> checkModel(const ModelSummary &model) {
  struct Size {
    std::string_view name;
    int64_t size, least;
  };
  Size sizes[] = {
      {"vocab_size", model.vocabSize, 1}, {"positions", model.positions, 1},
      {"embed", model.embed, 1},          {"layers", model.layers, 0},
      {"heads", model.heads, 0},          {"inner", model.inner, 0},
  };
  for (auto [name, size, least] : sizes)
    if (auto ok =
            expectWithin(fmt::format("model.{}", name), size, least, INT32_MAX);
        !ok)
      return ok;
  for (int64_t token : model.eosTokens)
    if (auto ok = expectWithin("model.eos_tokens", token, 0, INT32_MAX); !ok)
      return ok;
  return expectWithin("model.parameters", model.parameters, 0, maxElements);
}

static Result<void> checkCacheLayout(const KvCacheLayout &cache,
                                     const ModelSummary &model) {
  if (auto ok = expectWithin("kv_cache.layers", cache.layers, 0, INT32_MAX);
      !ok)
    return ok;
  if (auto ok =
          expectWithin("kv_cache.block_size", cache.blockSize, 1, INT32_MAX);
      !ok)
    return ok;
  if (cache.layers == 0) // what stands in the other fields is not used
    return expectWithin("kv_cache.positions", cache.positions, 0, INT32_MAX);
  if (auto ok = expectWithin("kv_cache.positions", cache.positions, 1,
                             model.positions);
      !ok)
    return ok;
  if (!sizeProduct({cache.blocksPerSequence(), cache.layers, 2, cache.heads,
                    cache.blockSize, cache.headSize}))
    return failure("kv_cache: got {} layers, {} heads of {}, expected positive "
                   "sizes, within memory",
                   cache.layers, cache.heads, cache.headSize);
  return {};
}

static Result<void> checkConstants(const Executable &executable) {
  if (auto ok = expectWithin("constant_bytes", executable.constantBytes, 0,
                             maxElements);
      !ok)
    return ok;
  for (size_t i = 0; i < executable.constants.size(); ++i) {
    const Constant &constant = executable.constants[i];
    std::string where = fmt::format("constants[{}]", i);
    auto size = constantSizeInBytes(where, constant.shape, constant.type,
                                    constant.layout);
    if (!size)
      return std::unexpected(size.error());
    if (auto ok = expectInSegment(where, constant.offset, *size,
                                  executable.constantBytes);
        !ok)
      return ok;
    if (constant.offset % bufferAlignment != 0)
      return failure("{}.offset: got {}, expected a multiple of {}", where,
                     constant.offset, bufferAlignment);
    int64_t dims = constant.parts.empty() ? 1 : std::ssize(constant.shape);
    if (auto ok =
            expectWithin(where + ".parts_dim", constant.partsDim, 0, dims - 1);
        !ok)
      return ok;
  }
  return {};
}

Result<void> checkExecutable(const Executable &executable) {
  if (auto ok = checkModel(executable.model); !ok)
    return ok;
  if (auto ok = checkCacheLayout(executable.kvCache, executable.model); !ok)
    return ok;
  if (auto ok = expectWithin("threads", executable.numThreads, 1, maxThreads);
      !ok)
    return ok;
  if (auto ok = checkConstants(executable); !ok)
    return ok;
  std::set<std::string_view> names;
  for (size_t i = 0; i < executable.programs.size(); ++i) {
    const Program &program = executable.programs[i];
    std::string where = fmt::format("programs[{}]", i);
    if (!names.insert(program.name).second)
      return failure("{}.name: got one that an earlier program has", where);
    if (auto ok = checkProgram(executable, program, where); !ok)
      return ok;
  }
  return {};
}

} // namespace tandem
