#pragma once

#include "ir/Tandem.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace tandem {

/// What goes wrong right after a pass, and the op whose value it changes.
struct Mutation {
  std::string pass, op;
  std::function<void(mlir::ModuleOp)> corrupt;
  std::vector<std::string> disabled = {};
  std::string graph = {}; // text of the model; empty: the GPT-2
};

/// For the messages of tests.
inline void PrintTo(const Mutation &mutation, std::ostream *stream) {
  *stream << mutation.op << " after " << mutation.pass;
}

/// One for every pass of the pipeline, in its order, for a GPT-2 of two layers
/// whose ops nameOps() has named, or for a graph of its own.
std::vector<Mutation> mutations();

} // namespace tandem
