#pragma once

#include "backend/Executable.h"
#include "support/GenerationDefaults.h"
#include "support/MappedFile.h"
#include "support/Result.h"
#include "support/TokenizerData.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tandem {

/// A compiled model, all but its constants.
struct ArtifactContents {
  Executable executable;
  std::optional<TokenizerData> tokenizer; // absent: the model has none
  GenerationDefaults generation;
  /// What the plan relies on, in Linux's names: see hostInstructionSets().
  std::vector<std::string> instructionSets;
  std::string source; // the name of what it was compiled from
  std::string module; // the planned module, for dumps; empty: left out
};

/// Writes `contents` and `constants` (executable.constantBytes of them) as one
/// file, which appears whole or not at all. Fails on an executable that
/// checkExecutable() refuses. Texts that are not UTF-8 are an error in the
/// tokenizer, and repaired elsewhere.
Result<void> writeArtifact(const std::filesystem::path &path,
                           const ArtifactContents &contents,
                           std::span<const std::byte> constants);

struct LoadedArtifact {
  ArtifactContents contents;
  std::shared_ptr<const MappedFile> file;
  /// Of the constants in `file`, page-aligned; contents.executable knows how
  /// many bytes.
  int64_t constantsOffset = 0;
};

/// Maps an artifact. Refuses, in one line that names the file: what is no
/// artifact or of another version; a file in which any byte was changed, cut
/// off or added; one that needs instruction sets which this machine lacks; an
/// executable that checkExecutable() refuses. Constants are read once, for
/// their checksums, and never copied.
Result<LoadedArtifact> readArtifact(const std::filesystem::path &path);

} // namespace tandem
