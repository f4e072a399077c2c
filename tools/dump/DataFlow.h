#pragma once

#include "ir/Tandem.h"

#include <vector>

namespace tandem {

/// `to` reads `value`, which `from` made: an op, or null where it is the
/// function's argument. `to` is null where the value is the function's output
/// of that name.
struct DataEdge {
  mlir::Operation *from = nullptr;
  mlir::Operation *to = nullptr;
  mlir::Value value;
  llvm::StringRef output;
};

/// Who reads what from whom, on tensors and buffers alike: of a buffer, views
/// seen through, from the op that wrote it last. Ops that only say where a
/// buffer lies do not appear; weights do, as makers.
std::vector<DataEdge> dataEdges(mlir::func::FuncOp function);

/// The function's name of an argument, such as tokens; empty where it has none.
llvm::StringRef argumentName(mlir::BlockArgument argument);

} // namespace tandem
