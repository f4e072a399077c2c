#pragma once

#include "tests/unit/support/TemporaryFolder.h"
#include "tools/Command.h"

namespace tandem {

/// A GPT-2 of two layers with random weights, through the whole compiler:
///   prefill 8, 16, 48   decode 1, 2, 4, .. and as many as sequences
///   head 1, 64          forward 16, 24, 32, 48, 64
class SmallModel : public TemporaryFolderTest {
protected:
  static constexpr int64_t positions = 64, vocab = 97;
  const std::vector<int64_t> prefillRows = {8, 16, 48};

  void SetUp() override;

  /// Compiled for so many sequences.
  Model compile(int64_t numSequences, const ProgramUse &use);
  std::unique_ptr<Session> start(int64_t numSequences, const ProgramUse &use);

  /// `count` tokens, the same for the same seed.
  static std::vector<int32_t> tokens(int64_t count, uint32_t seed);

  ModelOptions options;
};

/// Every program there can be.
inline constexpr ProgramUse everyUse = {
    .cached = true, .uncached = true, .everyRow = true};

} // namespace tandem
