#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tandem {

/// A step that is to be ordered among others. It names others by their index.
/// A view is not a node: whoever reads the view reads the node it looks at.
struct ScheduleNode {
  std::vector<int32_t> operands = {}; // nodes whose results it reads
  int64_t resultBytes = 0;
  int64_t scratchBytes = 0; // needed only while it runs
  bool keepAlive = false;   // the result is an output: it lives to the end

  /// Nodes that must have run before it though it reads nothing of theirs:
  /// effects in order.
  std::vector<int32_t> after = {};
};

/// The most bytes live while the nodes run in `order`, a permutation that
/// respects operands and `after`. While a node runs, its operands, its result,
/// its scratch and every result that is still to be read or kept are live.
/// Work in place is not counted on.
int64_t peakBytes(std::span<const ScheduleNode> nodes,
                  std::span<const int32_t> order);

/// An order that respects operands and `after` and whose peak is no higher than
/// that of the order given. `nodes` come in an order that works, so each names
/// earlier ones only. The best of the given order and two greedy ones, from the
/// first node on and from the last one back, each improved around its peak by
/// trying every order of ten neighbours. So up to ten nodes have the least peak
/// possible; more have it often, not always. Where nothing is gained the given
/// order stays as it is. Equal nodes give equal orders.
std::vector<int32_t> scheduleForPeak(std::span<const ScheduleNode> nodes);

} // namespace tandem
