#pragma once

#include "tools/RunCommand.h"

namespace tandem {

/// `run --prompts`: continues every line of the file, several at a time, and
/// prints what each became in the order of the lines: the text below the line's
/// number, the ids in a line of their own where the model has no tokenizer, or
/// with --json one document a line. Expects options.prompts.
Result<int> runPrompts(const RunOptions &options, const PrepareModel &prepare);

} // namespace tandem
