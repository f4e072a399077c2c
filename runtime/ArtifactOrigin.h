#pragma once

#include "support/Result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The version of this program.
std::string_view tandemVersion();

/// What the compiler was asked for, and what it did.
struct PipelineRecord {
  std::vector<std::string> passes; // that ran, in order
  std::vector<std::string> disabledPasses;
  std::vector<int64_t> buckets; // rows of the prefill programs
  int64_t context = 0;          // the most positions of a sequence
  int64_t batch = 0;            // rows of the largest decode program
  int threads = 0;              // the most that the plan has scratch for
  bool operator==(const PipelineRecord &) const = default;
};

/// Where an artifact comes from, and what it needs where it runs.
struct ArtifactOrigin {
  std::string tandemVersion = std::string(tandem::tandemVersion());
  std::string source;     // the name of what it was compiled from
  std::string sourceHash; // sourceHash() of it, sixteen hexadecimal digits
  /// What the plan relies on, in Linux's names: see hostInstructionSets().
  /// Kernels choose theirs where they are loaded.
  std::vector<std::string> instructionSets;
  PipelineRecord pipeline;
  /// Session::plannedBytes() with the cache, for as many sequences as `batch`.
  int64_t plannedBytes = 0;
  bool operator==(const ArtifactOrigin &) const = default;
};

nlohmann::json toJson(const ArtifactOrigin &origin);

/// The way back. Refuses what another version wrote, which may mean something
/// else by the same fields, and what needs instruction sets that this machine
/// lacks.
Result<ArtifactOrigin> originFromJson(const nlohmann::json &json);

} // namespace tandem
