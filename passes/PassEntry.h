#pragma once

#include "passes/Pipeline.h"

#include <functional>

namespace tandem {

/// Fusions are optimisations. Eager programs do without them, and without what
/// only a plan needs.
enum class PassKind { Lowering, Planning, Fusion, Optimisation };

/// One line of the pipeline.
struct PassEntry {
  Stage stage; // the first stage that shows its effect
  PassKind kind;
  std::string name;
  std::function<void(mlir::OpPassManager &, PassReport &)> add;
};

/// The pipeline: every pass in order, each with its reason.
std::vector<PassEntry> passEntries(const PipelineOptions &options);

} // namespace tandem
