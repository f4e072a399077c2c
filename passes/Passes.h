#pragma once

#include "passes/CountingPass.h"
#include "passes/TargetInfo.h"

#include "ir/Tandem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"

namespace tandem {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

/// The passes that depend on the machine, for a given one.
std::unique_ptr<mlir::Pass> createMergeProjections(const TargetInfo &target);
std::unique_ptr<mlir::Pass> createBufferize(const TargetInfo &target);
std::unique_ptr<mlir::Pass> createSchedule(const TargetInfo &target);
std::unique_ptr<mlir::Pass> createPlanMemory(const TargetInfo &target);

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace tandem
