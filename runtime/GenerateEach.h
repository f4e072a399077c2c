#pragma once

#include "runtime/Generate.h"

namespace tandem {

/// Takes what prompt `index` became.
using GenerationSink =
    std::function<Result<void>(size_t index, const Generation &generation)>;

/// Continues every prompt, as many at a time as `session` has sequences; when
/// one ends, the next prompt takes its place. Each has a sampler of its own,
/// seeded alike, and becomes what generate() makes of it alone: no kernel of a
/// compiled decode program lets rows influence one another, and an eager one
/// has a single row.
///
/// `onDone` is called in the order of the prompts, as soon as that is possible;
/// where it fails, so does this. Prefill times are a prompt's own; decode times
/// are those of the steps that it took part in. Without the cache the prompts
/// are continued one after another.
Result<void> generateEach(Session &session,
                          std::span<const std::vector<int32_t>> prompts,
                          const GenerationOptions &options,
                          const GenerationSink &onDone);

} // namespace tandem
