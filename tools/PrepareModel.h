#pragma once

#include "support/TokenizerData.h"
#include "tools/Options.h"

namespace tandem {

/// A folder or .mlir file compiled in memory, or an artifact loaded: ready for
/// a session.
Result<Model> prepareModel(const ModelOptions &options, const ProgramUse &use);

/// True for a .tandem file.
bool isArtifact(const std::filesystem::path &path);

/// Fails where an option asks the compiler for something: an artifact has been
/// compiled.
Result<void> requireNoCompilerOption(const ModelOptions &options);

/// The tokenizer of any kind of model.
Result<Tokenizer> openTokenizer(const std::filesystem::path &model);

/// What the first of a model's folders that has some says of a tokenizer;
/// nothing where none does.
Result<std::optional<TokenizerData>>
findTokenizer(std::span<const std::filesystem::path> folders);

/// The same of generation_config.json; the defaults where there is none.
Result<GenerationDefaults>
findGenerationConfig(std::span<const std::filesystem::path> folders);

} // namespace tandem
