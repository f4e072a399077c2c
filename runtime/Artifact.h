#pragma once

#include "backend/Executable.h"
#include "runtime/ArtifactOrigin.h"
#include "runtime/Tokenizer.h"
#include "support/ByteSink.h"
#include "support/GenerationDefaults.h"
#include "support/MappedFile.h"
#include "support/Result.h"
#include "support/TokenizerData.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace tandem {

/// What is written of a compiled model, all but its constants.
struct ArtifactContents {
  ArtifactOrigin origin;
  Executable executable;
  std::optional<TokenizerData> tokenizer; // absent: the model has none
  GenerationDefaults generation;
  /// The planned module as MLIR's bytecode, in memory that somebody else owns.
  /// Empty: left out.
  std::span<const std::byte> module;
};

/// Hands the constants, executable.constantBytes of them, to a sink in order.
using ConstantsSource = std::function<Result<void>(const ByteSink &)>;

/// Writes `contents` and `constants` as one file, which appears whole or not
/// at all. Fails on an executable that checkExecutable() refuses, and as
/// `constants` does. Names that are not UTF-8 are repaired.
Result<void> writeArtifact(const std::filesystem::path &path,
                           const ArtifactContents &contents,
                           const ConstantsSource &constants);

/// What was read: the same, ready for use.
struct LoadedArtifact {
  ArtifactOrigin origin;
  Executable executable;
  std::optional<Tokenizer> tokenizer; // absent: the model has none
  GenerationDefaults generation;
  std::shared_ptr<const MappedFile> file;
  std::span<const std::byte> module; // in `file`; empty: left out
  /// Of the constants in `file`, page-aligned; executable.constantBytes of
  /// them.
  int64_t constantsOffset = 0;
};

/// Maps an artifact. Refuses, in one line that names the file: what is no
/// artifact or of another version; a file in which any byte was changed, cut
/// off or added; one that needs instruction sets which this machine lacks; an
/// executable that checkExecutable() refuses. Constants are read once, for
/// their checksums, and never copied.
Result<LoadedArtifact> readArtifact(const std::filesystem::path &path);

} // namespace tandem
