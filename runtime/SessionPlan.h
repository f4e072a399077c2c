#pragma once

#include "runtime/Bucket.h"
#include "runtime/ExternalBuffers.h"

namespace tandem {

struct SessionOptions {
  int numThreads = 0; // 0: as many as there are processors and the plan allows
  int64_t numSequences = 1;
  std::optional<int64_t> memoryLimit = {}; // bytes, of all that tensors take
  /// Which programs to make ready; what is left out takes no memory.
  bool withCache = true;   // prefill, decode, and the KV cache itself
  bool withForward = true; // without a cache
};

/// The programs that a session runs, by ProgramKind.
struct ProgramSet {
  std::array<Buckets, 4> kinds;

  Buckets &operator[](ProgramKind kind) {
    return kinds[static_cast<size_t>(kind)];
  }
  const Buckets &operator[](ProgramKind kind) const {
    return kinds[static_cast<size_t>(kind)];
  }
  bool usesCache() const {
    return !(*this)[ProgramKind::Prefill].empty() ||
           !(*this)[ProgramKind::Decode].empty();
  }
};

/// What of an executable a session with `options` runs, not yet runnable.
ProgramSet selectPrograms(const Executable &executable,
                          const SessionOptions &options);

/// Fails for a program that lacks an input or output of its kind, or has one
/// of another shape than its rows, the vocabulary and the cache ask for.
Result<void> checkSignature(const Program &program,
                            const Executable &executable);

/// Bytes of the inputs and outputs of one program.
PortSizes portSizes(const Program &program, int64_t dynamicSize);

/// Bytes of the inputs and outputs of all programs, open dimensions left out;
/// logits have room for one decoded row a sequence.
PortSizes portSizes(const ProgramSet &programs, int64_t numSequences);

/// The arena: the most that one program needs.
int64_t transientBytes(const ProgramSet &programs);

} // namespace tandem
