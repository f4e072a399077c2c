#pragma once

#include "tools/Options.h"

namespace tandem {

/// --buckets, --plan-for.
void addBucketOptions(CLI::App &app, ModelOptions &options);

/// Those, --context, --disable-pass, --print-after, --timing: of the commands
/// that compile. The names of passes are the pipeline's.
void addCompilerOptions(CLI::App &app, ModelOptions &options);

} // namespace tandem
