#pragma once

#include "tools/Options.h"

namespace tandem {

/// A folder compiled in memory, or an artifact loaded: ready for a session.
Result<Model> prepareModel(const ModelOptions &options, const ProgramUse &use);

/// True for a .tandem file.
bool isArtifact(const std::filesystem::path &path);

/// The tokenizer of a folder or an artifact.
Result<Tokenizer> openTokenizer(const std::filesystem::path &model);

} // namespace tandem
