#pragma once

#include "ir/Tandem.h"

#include <string>

namespace tandem {

/// The functions as a graph for Graphviz: a box an op, a cluster a layer and a
/// function, an arrow from who made a value to who reads it, with its shape and
/// bytes. Weights are small and grey. Positions, sequences and block tables
/// have arrows only where they are looked up in a table.
std::string dotText(mlir::ModuleOp module);

} // namespace tandem
