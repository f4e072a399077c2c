#pragma once

#include "tools/Options.h"

namespace tandem {

/// A folder compiled in memory, or an artifact loaded: ready for a session.
Result<Model> prepareModel(const ModelOptions &options, const ProgramUse &use);

/// True for a .tandem file.
bool isArtifact(const std::filesystem::path &path);

/// Fails where an option asks the compiler for something: an artifact has been
/// compiled.
Result<void> requireNoCompilerOption(const ModelOptions &options);

/// The tokenizer of a folder or an artifact.
Result<Tokenizer> openTokenizer(const std::filesystem::path &model);

} // namespace tandem
