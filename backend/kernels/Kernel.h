#pragma once

#include "backend/Executable.h"
#include "support/Result.h"

#include <memory>
#include <span>
#include <string_view>

namespace tandem {

/// What a kernel is created for: every shape is known (dynamicDim has been
/// replaced).
struct KernelSpec {
  std::vector<Value> inputs, outputs;
  Attributes attributes;
  int64_t scratchBytes = 0; // as planned; each thread has an equal part
  int numThreads = 1;       // the most that will run it
};

/// The addresses of one step's operands, in the order of KernelSpec.
struct KernelOperands {
  std::span<void *const> inputs;
  std::span<void *const> outputs;
  std::byte *scratch = nullptr; // null where the spec has none
};

/// One operation for fixed shapes. Created before the first token; run by every
/// thread of the pool at once, each doing its part. One kernel may serve many
/// steps, but a thread index runs it once at a time: what is kept per thread
/// (oneDNN's memory objects) changes while it runs, all else is immutable.
class Kernel {
public:
  virtual ~Kernel() = default;

  /// Thread `thread` of `numThreads`, at most as many as the kernel was created
  /// for, does its share. Allocates nothing and creates no oneDNN primitive.
  /// Threads do not see one another's output before the barrier that ends the
  /// step.
  virtual void run(const KernelOperands &operands, int thread,
                   int numThreads) const = 0;

  /// The implementation chosen, for profiles: "panels", "rows", or oneDNN's
  /// own name for it, "brgemm:avx512_core".
  virtual std::string_view implementation() const = 0;
};

/// Makes a kernel, or says which operand, attribute or scratch does not fit.
using KernelFactory =
    Result<std::unique_ptr<Kernel>> (*)(const KernelSpec &spec);

/// Scratch that a kernel takes where nothing was planned: by its name, and by a
/// spec that has none.
int64_t unplannedScratchBytes(std::string_view name, const KernelSpec &spec);

/// Looks `name` up in the registry, one row a kernel. Fails for a name that no
/// row has, with the names that exist, where the kernel's factory does, and
/// where cpuLevel() does.
Result<std::unique_ptr<Kernel>> createKernel(std::string_view name,
                                             const KernelSpec &spec);

} // namespace tandem
