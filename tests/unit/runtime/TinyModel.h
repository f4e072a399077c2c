#pragma once

#include "runtime/Session.h"

#include <gtest/gtest.h>

namespace tandem::testing {

/// A model of one attention layer without projections:
///   x = table[tokens] + places[positions]
///   hidden = attention(x, x, x) + x,  logits = hidden table^T
namespace tiny {
inline constexpr int64_t vocab = 70; // a second panel, not full
inline constexpr int64_t embed = 32, heads = 2, headSize = 16;
inline constexpr int64_t positions = 40; // a second block, not full
inline constexpr int maxThreads = 3;
inline constexpr double scale = 0.25;
} // namespace tiny

/// The programs of the model, all rows and shapes known.
struct TinyBuckets {
  std::vector<int64_t> prefill = {}, decode = {}, head = {}, forward = {};
};

/// Planned, with fused kernels.
Executable plannedExecutable(const TinyBuckets &buckets);
/// Nothing fused: attention spelled out over kv_read, matmul and softmax;
/// forward has any number of rows, its own logits, and no bucket.
Executable eagerExecutable(const TinyBuckets &buckets);

/// `count` tokens, the same for the same seed.
std::vector<int32_t> randomTokens(int64_t count, uint32_t seed);

/// The model in plain loops: logits [tokens, vocab].
std::vector<float> expectedLogits(const std::vector<int32_t> &tokens);

struct TinySession {
  std::shared_ptr<MemoryTracker> memory;
  std::unique_ptr<Session> session;
  std::string error; // "" if there is a session

  Session *operator->() const { return session.get(); }
};
TinySession startTiny(const Executable &executable,
                      const SessionOptions &options = {});

/// Each of `got` within a hundred thousandth of row `firstRow` on.
void expectRows(std::span<const float> got, const std::vector<float> &expected,
                int64_t firstRow);

} // namespace tandem::testing
