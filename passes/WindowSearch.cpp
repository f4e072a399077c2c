#include "passes/WindowSearch.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>

namespace tandem {
namespace {

using Nodes = std::span<const ScheduleNode>;

class WindowSearch {
public:
  WindowSearch(Nodes nodes, std::span<const int32_t> order, int64_t begin,
               int64_t end)
      : nodes(nodes), window(order.subspan(begin, end - begin)),
        required(window.size(), 0) {
    for (size_t i = 0; i < window.size(); ++i) {
      noteRequired(i);
      noteValues(i);
    }
    for (int32_t later : order.subspan(end))
      for (int32_t operand : nodes[later].operands)
        if (auto value = values.find(operand); value != values.end())
          value->second.staysLive = true;
  }

  std::vector<int32_t> run() {
    const uint32_t all = (1u << window.size()) - 1;
    best.assign(all + 1, {});
    best[0].peak = 0;
    for (uint32_t done = 0; done < all; ++done)
      if (best[done].peak != unreached)
        extend(done);
    std::vector<int32_t> order;
    for (uint32_t done = all; done != 0; done &= ~(1u << best[done].last))
      order.push_back(window[best[done].last]);
    std::ranges::reverse(order);
    return order;
  }

private:
  static constexpr int64_t unreached = std::numeric_limits<int64_t>::max();

  /// Of a set of members: the least peak of its orders, and what then runs
  /// last.
  struct Choice {
    int64_t peak = unreached;
    uint32_t last = 0;
  };
  /// What a member reads or makes.
  struct ValueUse {
    int64_t bytes = 0;
    uint32_t maker = 0;     // the member that makes it, or none
    uint32_t readers = 0;   // the members that read it
    bool staysLive = false; // past the window
  };

  void noteRequired(size_t member) {
    const ScheduleNode &node = nodes[window[member]];
    for (const auto *earlier : {&node.operands, &node.after})
      for (int32_t other : *earlier)
        if (auto at = std::ranges::find(window, other); at != window.end())
          required[member] |= 1u << (at - window.begin());
  }

  void noteValues(size_t member) {
    valueOf(window[member]).maker = 1u << member;
    for (int32_t operand : nodes[window[member]].operands)
      valueOf(operand).readers |= 1u << member;
  }

  ValueUse &valueOf(int32_t node) {
    ValueUse &value = values[node];
    value.bytes = nodes[node].resultBytes;
    value.staysLive = nodes[node].keepAlive;
    return value;
  }

  /// Bytes live once the members in `done` have run; of those that no member
  /// touches, which are the same in any order, none.
  int64_t liveAfter(uint32_t done) const {
    int64_t bytes = 0;
    for (const auto &[node, value] : values)
      if ((value.maker & ~done) == 0 &&
          (value.staysLive || (value.readers & ~done) != 0))
        bytes += value.bytes;
    return bytes;
  }

  void extend(uint32_t done) {
    const int64_t live = liveAfter(done);
    for (uint32_t i = 0; i < window.size(); ++i) {
      if ((done >> i & 1) != 0 || (required[i] & ~done) != 0)
        continue;
      const ScheduleNode &node = nodes[window[i]];
      const int64_t during = live + node.resultBytes + node.scratchBytes;
      const int64_t peak = std::max(best[done].peak, during);
      if (peak < best[done | 1u << i].peak)
        best[done | 1u << i] = {peak, i};
    }
  }

  Nodes nodes;
  std::span<const int32_t> window;
  std::vector<uint32_t> required; // members that must run before one
  std::map<int32_t, ValueUse> values;
  std::vector<Choice> best; // by the set of members that have run
};

} // namespace

std::vector<int32_t> bestOrderOfWindow(Nodes nodes,
                                       std::span<const int32_t> order,
                                       int64_t begin, int64_t end) {
  assert(begin <= end && end - begin <= maxWindow);
  return WindowSearch(nodes, order, begin, end).run();
}

} // namespace tandem
