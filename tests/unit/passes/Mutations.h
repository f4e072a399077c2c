#pragma once

#include "ir/Tandem.h"

#include <functional>
#include <string>
#include <vector>

namespace tandem {

/// What goes wrong right after a pass, and the op whose value it changes.
struct Mutation {
  std::string pass, op;
  std::function<void(mlir::ModuleOp)> corrupt;
  std::vector<std::string> disabled = {};
};

/// One for every pass of the pipeline, in its order, for a GPT-2 of two layers
/// whose ops nameOps() has named.
std::vector<Mutation> mutations();

} // namespace tandem
