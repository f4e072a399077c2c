#pragma once

#include "tools/ImportModel.h"
#include "tools/Options.h"

namespace tandem {

/// The model that `options` mean as it was described: for a .mlir file of
/// programs that were derived from a folder's model, that folder, with their
/// positions; else what is given. Fails for programs that do not say from what
/// they were derived.
Result<ModelOptions> describedModel(const ModelOptions &options);

/// Names the ops of derived programs as those of the folder's model that they
/// were derived from: the same programs are derived from it again, and an op
/// that stands at the same place of the same sequence of ops has its name. So
/// what was changed in an op by hand leaves it its name; a program in which ops
/// were added, removed or moved has none.
Result<void> nameDerived(ModuleInProgress &derived);

} // namespace tandem
