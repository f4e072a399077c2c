#pragma once

#include "runtime/KvCache.h"
#include "runtime/SessionPlan.h"

#include <functional>
#include <span>

namespace tandem {

/// Runs an executable: owns its constants, memory, KV cache and threads. All
/// that a planned program needs is allocated and created before the session
/// is there; no run allocates. One thread at a time may use a session.
///
/// Everything is checked before anything is written: after an error of the
/// arguments, and after one of memory in an eager run, every sequence is as
/// long as it was.
class Session {
public:
  /// Takes logits [rows, vocab], the first of them of row `firstRow`. They are
  /// valid until the next call of the session.
  using LogitsSink =
      std::function<void(int64_t firstRow, std::span<const float> logits)>;

  /// `constants` holds executable->constantBytes, counted in `memory`.
  /// Fails for a program that does not fit together, more threads than the plan
  /// has scratch for, or past the memory limit.
  static Result<std::unique_ptr<Session>>
  create(std::shared_ptr<const Executable> executable, Buffer constants,
         std::shared_ptr<MemoryTracker> memory, const SessionOptions &options);

  /// Appends `tokens`; the logits [vocab] that follow the last one, valid until
  /// the next call.
  Result<std::span<const float>> prefill(int64_t sequence,
                                         std::span<const int32_t> tokens);
  /// Appends `tokens`; the sink gets the logits of each, in order, a few rows a
  /// call.
  Result<void> prefillAllLogits(int64_t sequence,
                                std::span<const int32_t> tokens,
                                const LogitsSink &sink);

  struct DecodeRow {
    int64_t sequence = 0;
    int32_t token = 0;
  };
  /// Appends a token to each sequence named (a sequence may be named again,
  /// its tokens then follow one another); logits [rows, vocab], valid until the
  /// next call. At most maxDecodeRows() rows.
  Result<std::span<const float>> decode(std::span<const DecodeRow> rows);
  /// As many as the largest decode program has, or one a sequence.
  int64_t maxDecodeRows() const;

  /// Runs `tokens` without a cache: the sink gets the logits of each, in order,
  /// or those of the last alone.
  Result<void> forward(std::span<const int32_t> tokens, bool everyRow,
                       const LogitsSink &sink);

  /// Tokens that a sequence holds; it must be below numSequences().
  int64_t length(int64_t sequence) const { return cache.length(sequence); }
  /// Empties a sequence; one that is not there is empty.
  void reset(int64_t sequence);
  int64_t numSequences() const { return cache.numSequences(); }
  /// The most tokens that a sequence may hold.
  int64_t positions() const;
  int64_t vocabSize() const { return executable->model.vocabSize; }

  /// Packed constants, KV blocks, the largest program's transient memory,
  /// inputs and outputs. An eager program's own tensors are not part of it.
  static int64_t plannedBytes(const Executable &executable,
                              const SessionOptions &options);
  int64_t plannedBytes() const { return plannedBytes(*executable, options); }
  /// Fails where that is past options.memoryLimit: to be asked before a weight
  /// is packed.
  static Result<void> checkMemoryLimit(const Executable &executable,
                                       const SessionOptions &options);
  /// The most that has been in use, as counted; or since restartPeak().
  int64_t peakBytes() const { return memory->peakBytes(); }
  void restartPeak() { memory->restartPeak(); }

  int numThreads() const { return threads->numThreads(); }
  const Executable &model() const { return *executable; }

  /// From now on shows every step of every program to `observer`, or to nobody
  /// where it is null.
  void observe(const StepObserver &observer);

private:
  Session(std::shared_ptr<const Executable> executable, Buffer constants,
          std::shared_ptr<MemoryTracker> memory, const SessionOptions &options);

  Result<void> check() const;
  Result<void> allocate();
  Result<void> makeProgramsRunnable();

  Result<void> checkPrograms(std::string_view what,
                             std::initializer_list<ProgramKind> kinds) const;
  Result<void> checkToken(int64_t row, int32_t token) const;
  Result<void> checkTokens(std::span<const int32_t> tokens) const;
  Result<void> checkPrefill(int64_t sequence,
                            std::span<const int32_t> tokens) const;
  Result<void> checkForward(std::span<const int32_t> tokens) const;
  Result<void> checkDecode(std::span<const DecodeRow> rows) const;

  /// Takes tokens off the front; hidden rows 0 on are theirs.
  Result<int64_t> prefillSome(int64_t sequence,
                              std::span<const int32_t> tokens);
  /// Takes rows off the front; their logits begin at row `firstRow`.
  Result<int64_t> decodeSome(std::span<const DecodeRow> rows, int64_t firstRow);
  /// Logits of hidden rows from `row` on: of `numRows`, or fewer.
  Result<std::span<const float>> headSome(int64_t row, int64_t numRows);
  /// All of them, in order; `firstRow` is what the sink calls the first.
  Result<void> headAll(int64_t row, int64_t numRows, int64_t firstRow,
                       const LogitsSink &sink);
  /// Writes tokens and consecutive positions, then zeros up to `numRows`.
  void writeRows(std::span<const int32_t> tokens, int64_t firstPosition,
                 int64_t numRows);

  std::shared_ptr<const Executable> executable;
  std::shared_ptr<MemoryTracker> memory; // outlives what it counts
  SessionOptions options;
  Buffer constants, arena;
  KvCache cache;
  ExternalBuffers externals;
  std::unique_ptr<ThreadPool> threads;
  KernelCache kernels;
  ProgramSet programs;
};

} // namespace tandem
