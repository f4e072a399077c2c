#include "passes/BufferPlan.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

namespace tandem {
namespace {

using Requests = std::span<const BufferRequest>;

bool liveTogether(const BufferRequest &a, const BufferRequest &b) {
  return a.firstUse <= b.lastUse && b.firstUse <= a.lastUse;
}

/// Whether `taker` may sit where `giver` is.
bool canReplace(Requests requests, int32_t taker, int32_t giver) {
  const BufferRequest &by = requests[taker];
  const BufferRequest &gone = requests[giver];
  return std::ranges::count(by.mayReplace, giver) > 0 &&
         gone.firstUse < by.firstUse && gone.lastUse == by.firstUse &&
         gone.sizeInBytes >= by.sizeInBytes;
}

/// Buffers that share one offset, each in the place of the one before: sizes
/// fall and steps rise along it.
struct Chain {
  std::vector<int32_t> members;
  int64_t sizeInBytes = 0; // the first member's
  int32_t firstUse = 0;
  int32_t lastUse = 0;

  double bytesTimesSteps() const {
    return double(sizeInBytes) * (double(lastUse) - firstUse + 1);
  }
};

class Planner {
public:
  Planner(Requests requests, int64_t alignment)
      : requests(requests), successor(requests.size()),
        replaces(requests.size()) {
    for (const BufferRequest &request : requests) {
      assert(request.sizeInBytes >= 0 && request.firstUse <= request.lastUse);
      sizes.push_back((request.sizeInBytes + alignment - 1) / alignment *
                      alignment);
    }
    acceptReplacements();
    formChains();
  }

  BufferPlan run() {
    using Order = bool (*)(const Chain &, const Chain &);
    constexpr std::array<Order, 3> orders = {
        [](const Chain &a, const Chain &b) {
          return a.sizeInBytes > b.sizeInBytes;
        },
        [](const Chain &a, const Chain &b) { return a.firstUse < b.firstUse; },
        [](const Chain &a, const Chain &b) {
          return a.bytesTimesSteps() > b.bytesTimesSteps();
        }};

    const int64_t lowerBound = peakLiveBytes();
    std::optional<BufferPlan> best;
    for (Order order : orders) {
      if (best && best->sizeInBytes == lowerBound)
        break;
      std::vector<Chain> ordered = chains;
      std::ranges::stable_sort(ordered, order);
      BufferPlan plan = pack(ordered);
      plan.lowerBound = lowerBound;
      if (!best || plan.sizeInBytes < best->sizeInBytes)
        best = std::move(plan);
    }
    return *best;
  }

private:
  /// The largest takers choose first, each the smallest place that will do.
  void acceptReplacements() {
    std::vector<int32_t> takers(requests.size());
    std::iota(takers.begin(), takers.end(), 0);
    std::ranges::stable_sort(takers, std::greater(),
                             [&](int32_t taker) { return sizes[taker]; });
    for (int32_t taker : takers) {
      std::optional<int32_t> chosen;
      for (int32_t giver : requests[taker].mayReplace)
        if (!successor[giver] && canReplace(requests, taker, giver) &&
            (!chosen || sizes[giver] < sizes[*chosen]))
          chosen = giver;
      if (!chosen)
        continue;
      successor[*chosen] = taker;
      replaces[taker] = true;
    }
  }

  void formChains() {
    for (int32_t head = 0; head < std::ssize(requests); ++head) {
      if (replaces[head] || sizes[head] == 0)
        continue;
      Chain chain{{head}, sizes[head], requests[head].firstUse, 0};
      while (auto next = successor[chain.members.back()])
        chain.members.push_back(*next);
      chain.lastUse = requests[chain.members.back()].lastUse;
      chains.push_back(std::move(chain));
    }
  }

  /// One that replaces begins to count a step later: at its first step the
  /// buffer it replaces, which is no smaller, stands for both.
  int64_t peakLiveBytes() const {
    std::map<int64_t, int64_t> change; // of the bytes live, by step
    for (size_t i = 0; i < requests.size(); ++i) {
      change[int64_t(requests[i].firstUse) + replaces[i]] += sizes[i];
      change[int64_t(requests[i].lastUse) + 1] -= sizes[i];
    }
    int64_t live = 0, peak = 0;
    for (auto [step, bytes] : change)
      peak = std::max(peak, live += bytes);
    return peak;
  }

  BufferPlan pack(std::span<const Chain> ordered) const {
    BufferPlan plan{.offsets = std::vector<int64_t>(requests.size(), 0)};
    std::vector<int32_t> placed;
    for (const Chain &chain : ordered) {
      const int64_t offset = lowestFit(chain, placed, plan.offsets);
      for (int32_t member : chain.members) {
        plan.offsets[member] = offset;
        placed.push_back(member);
      }
      plan.sizeInBytes = std::max(plan.sizeInBytes, offset + chain.sizeInBytes);
    }
    return plan;
  }

  /// The least offset at which no member meets a placed buffer it conflicts
  /// with. Members shrink along a chain, so others may fit above its tail.
  int64_t lowestFit(const Chain &chain, std::span<const int32_t> placed,
                    std::span<const int64_t> offsets) const {
    std::vector<std::pair<int64_t, int64_t>> forbidden; // open intervals
    for (int32_t other : placed)
      for (int32_t member : chain.members)
        if (liveTogether(requests[member], requests[other]))
          forbidden.emplace_back(offsets[other] - sizes[member],
                                 offsets[other] + sizes[other]);
    std::ranges::sort(forbidden);

    int64_t offset = 0;
    for (auto [below, above] : forbidden) {
      if (offset <= below)
        break;
      offset = std::max(offset, above);
    }
    return offset;
  }

  Requests requests;
  std::vector<int64_t> sizes;                    // rounded up to the alignment
  std::vector<std::optional<int32_t>> successor; // who takes one's place
  std::vector<bool> replaces;                    // whether it takes one
  std::vector<Chain> chains;
};

} // namespace

BufferPlan planBuffers(Requests requests, int64_t alignment) {
  assert(alignment > 0);
  return Planner(requests, alignment).run();
}

Result<void> checkPlan(Requests requests, const BufferPlan &plan,
                       int64_t alignment) {
  if (plan.offsets.size() != requests.size())
    return failure("buffer plan: got {} offsets, expected {}",
                   plan.offsets.size(), requests.size());

  const auto end = [&](int32_t i) {
    return plan.offsets[i] + requests[i].sizeInBytes;
  };
  for (int32_t i = 0; i < std::ssize(requests); ++i) {
    const int64_t offset = plan.offsets[i];
    if (offset < 0 || offset % alignment != 0 || end(i) > plan.sizeInBytes)
      return failure("buffer plan: buffer {}: got bytes [{}, {}), expected a "
                     "multiple of {} within [0, {})",
                     i, offset, end(i), alignment, plan.sizeInBytes);
    for (int32_t j = 0; j < i; ++j) {
      const bool overlap =
          std::max(offset, plan.offsets[j]) < std::min(end(i), end(j));
      const bool inPlace =
          offset == plan.offsets[j] &&
          (canReplace(requests, i, j) || canReplace(requests, j, i));
      if (overlap && !inPlace && liveTogether(requests[i], requests[j]))
        return failure("buffer plan: buffers {} and {} are live at step {}: "
                       "got bytes [{}, {}) and [{}, {}), expected them apart",
                       j, i,
                       std::max(requests[i].firstUse, requests[j].firstUse),
                       plan.offsets[j], end(j), offset, end(i));
    }
  }
  return {};
}

} // namespace tandem
