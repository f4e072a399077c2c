#include "passes/ListSchedule.h"
#include "passes/WindowSearch.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <set>

namespace tandem {
namespace {

using Nodes = std::span<const ScheduleNode>;

using Edges = std::vector<std::vector<int32_t>>;

Edges distinctOperands(Nodes nodes) {
  Edges reads;
  for (const ScheduleNode &node : nodes) {
    std::vector<int32_t> operands = node.operands;
    std::ranges::sort(operands);
    operands.erase(std::ranges::unique(operands).begin(), operands.end());
    reads.push_back(std::move(operands));
  }
  return reads;
}

/// The bytes live as nodes run one after another.
class LiveForward {
public:
  explicit LiveForward(Nodes nodes)
      : nodes(nodes), reads(distinctOperands(nodes)),
        pendingReaders(nodes.size(), 0) {
    for (const std::vector<int32_t> &operands : reads)
      for (int32_t operand : operands)
        ++pendingReaders[operand];
  }

  int64_t during(int32_t node) const {
    return live + nodes[node].resultBytes + nodes[node].scratchBytes;
  }

  /// What is left once `node` has run.
  int64_t beyond(int32_t node) const {
    int64_t bytes = live;
    if (nodes[node].keepAlive || pendingReaders[node] > 0)
      bytes += nodes[node].resultBytes;
    for (int32_t operand : reads[node])
      if (!nodes[operand].keepAlive && pendingReaders[operand] == 1)
        bytes -= nodes[operand].resultBytes;
    return bytes;
  }

  void pass(int32_t node) {
    live = beyond(node);
    for (int32_t operand : reads[node])
      --pendingReaders[operand];
  }

private:
  Nodes nodes;
  Edges reads;
  std::vector<int32_t> pendingReaders; // readers that have not run
  int64_t live = 0;
};

/// The same from the end: the bytes that the nodes passed so far, which run
/// last, need from those before them.
class LiveBackward {
public:
  explicit LiveBackward(Nodes nodes)
      : nodes(nodes), reads(distinctOperands(nodes)), needed(nodes.size()) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      needed[i] = nodes[i].keepAlive;
      live += needed[i] ? nodes[i].resultBytes : 0;
    }
  }

  /// What must be there before `node` runs.
  int64_t beyond(int32_t node) const {
    int64_t bytes = live - (needed[node] ? nodes[node].resultBytes : 0);
    for (int32_t operand : reads[node])
      bytes += needed[operand] ? 0 : nodes[operand].resultBytes;
    return bytes;
  }

  void pass(int32_t node) {
    live = beyond(node);
    for (int32_t operand : reads[node])
      needed[operand] = true;
  }

private:
  Nodes nodes;
  Edges reads;
  std::vector<bool> needed;
  int64_t live = 0;
};

/// Of the nodes that wait for none, always the one with the least beyond it,
/// the `First` of equals.
template <typename First, typename Live>
std::vector<int32_t> greedyOrder(const Edges &waitsFor, const Edges &frees,
                                 Live live) {
  std::vector<size_t> pending(waitsFor.size());
  std::set<int32_t, First> ready;
  for (size_t i = 0; i < waitsFor.size(); ++i)
    if ((pending[i] = waitsFor[i].size()) == 0)
      ready.insert(i);

  std::vector<int32_t> order;
  while (!ready.empty()) {
    const int32_t next = *std::ranges::min_element(
        ready, {}, [&](int32_t node) { return live.beyond(node); });
    ready.erase(next);
    live.pass(next);
    order.push_back(next);
    for (int32_t freed : frees[next])
      if (--pending[freed] == 0)
        ready.insert(freed);
  }
  return order;
}

/// The bytes live while each place of `order` runs.
std::vector<int64_t> bytesByPlace(Nodes nodes, std::span<const int32_t> order) {
  LiveForward live(nodes);
  std::vector<int64_t> bytes;
  for (int32_t node : order) {
    bytes.push_back(live.during(node));
    live.pass(node);
  }
  return bytes;
}

/// Lowers one place of the highest peak, if another order of a window around
/// it does.
bool lowerPeak(Nodes nodes, std::vector<int32_t> &order) {
  const std::vector<int64_t> before = bytesByPlace(nodes, order);
  const int64_t size = std::ssize(order),
                width = std::min<int64_t>(size, maxWindow),
                place = std::ranges::max_element(before) - before.begin();
  for (int64_t ahead : {width / 2, width - 1, int64_t{0}}) {
    const int64_t begin = std::clamp<int64_t>(place - ahead, 0, size - width);
    std::vector<int32_t> changed = order;
    std::ranges::copy(bestOrderOfWindow(nodes, order, begin, begin + width),
                      changed.begin() + begin);
    const std::vector<int64_t> after = bytesByPlace(nodes, changed);
    if (*std::max_element(after.begin() + begin,
                          after.begin() + begin + width) == before[place])
      continue;
    order = std::move(changed);
    return true;
  }
  return false;
}

} // namespace

int64_t peakBytes(Nodes nodes, std::span<const int32_t> order) {
  const std::vector<int64_t> bytes = bytesByPlace(nodes, order);
  return bytes.empty() ? 0 : std::ranges::max(bytes);
}

std::vector<int32_t> scheduleForPeak(Nodes nodes) {
  Edges before(nodes.size()), behind(nodes.size());
  for (int32_t i = 0; i < std::ssize(nodes); ++i)
    for (const auto *earlier : {&nodes[i].operands, &nodes[i].after})
      for (int32_t node : *earlier) {
        assert(node >= 0 && node < i);
        before[i].push_back(node);
        behind[node].push_back(i);
      }

  std::vector<int32_t> given(nodes.size());
  std::iota(given.begin(), given.end(), 0);
  std::vector<int32_t> forward =
      greedyOrder<std::less<>>(before, behind, LiveForward(nodes));
  std::vector<int32_t> backward =
      greedyOrder<std::greater<>>(behind, before, LiveBackward(nodes));
  std::ranges::reverse(backward);

  std::vector<int32_t> best = given;
  int64_t least = peakBytes(nodes, given);
  for (std::vector<int32_t> order : {given, forward, backward}) {
    while (!order.empty() && lowerPeak(nodes, order))
      ;
    if (const int64_t peak = peakBytes(nodes, order); peak < least) {
      best = std::move(order);
      least = peak;
    }
  }
  return best;
}

} // namespace tandem
