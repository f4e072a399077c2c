#pragma once

#include "runtime/Artifact.h"

#include <cstddef>
#include <vector>

namespace tandem {

/// Two programs, one planned and one not, that use every kind of segment,
/// layout and attribute.
Executable smallExecutable();

/// What `contents` has to record.
int64_t plannedBytesOf(const ArtifactContents &contents);

/// Around it, a tokenizer of awkward tokens, settings and a module.
ArtifactContents smallContents();

/// What `executable` has as constants, no two neighbours alike.
std::vector<std::byte> constantsOf(const Executable &executable);

/// Writes `contents` with those.
Result<void> writeSmallArtifact(const std::filesystem::path &path,
                                const ArtifactContents &contents);

} // namespace tandem
