#pragma once

#include "passes/ListSchedule.h"

namespace tandem {

/// As many nodes as are tried in every order: 2^10 sets of them.
inline constexpr int64_t maxWindow = 10;

/// The best order of the nodes at places `begin` to `end` of `order`, all
/// others staying where they are: the one with the least peak while they run.
/// It finds, for every set of them that can have run, smaller sets first, the
/// least peak on the way there. At most maxWindow nodes.
std::vector<int32_t> bestOrderOfWindow(std::span<const ScheduleNode> nodes,
                                       std::span<const int32_t> order,
                                       int64_t begin, int64_t end);

} // namespace tandem
