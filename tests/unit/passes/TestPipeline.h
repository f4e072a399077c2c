#pragma once

#include "passes/Pipeline.h"

namespace tandem {

/// The whole pipeline, with the programs that a fixed conversation runs.
inline PipelineOptions allPrograms() {
  PipelineOptions options;
  options.rows.prefill = {16, 5};
  options.rows.decode = {1, 4};
  options.rows.head = {1, 3};
  options.rows.forward = {7};
  // Some scratch, in sizes that fill no whole slot.
  options.target.scratchBytes = [](const ScratchQuery &query) -> int64_t {
    return query.op == "linear" ? 10 * query.rows : 33 * query.headSize;
  };
  return options;
}

} // namespace tandem
