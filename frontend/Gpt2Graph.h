#pragma once

#include "frontend/ModelConfig.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tandem {

/// GPT-2 (Radford et al. 2019) as its description says it: `@forward` from
/// tokens to the logits of every row, no cache, nothing fused. The module
/// declares exactly the weights of gpt2Parameters(config), in order of use, and
/// says which tokens end a text.
///
/// `config` is one that readModelConfig() could return. The module verifies.
mlir::OwningOpRef<mlir::ModuleOp> buildGpt2Forward(mlir::MLIRContext &context,
                                                   const ModelConfig &config);

} // namespace tandem
