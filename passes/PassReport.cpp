#include "passes/PassReport.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <fmt/format.h>

using namespace mlir;
using namespace tandem;

namespace {

/// The time of every pass that has a name: what runs others has none.
class PassTimer : public PassInstrumentation {
public:
  explicit PassTimer(PassReport &report) : report(report) {}

  void runBeforePass(Pass *pass, Operation *) override {
    started[pass] = Clock::now();
  }
  void runAfterPass(Pass *pass, Operation *) override {
    std::chrono::duration<double, std::milli> took =
        Clock::now() - started[pass];
    if (!pass->getArgument().empty())
      report.addTime(pass->getArgument(), took.count());
  }

private:
  using Clock = std::chrono::steady_clock;

  PassReport &report;
  llvm::DenseMap<Pass *, Clock::time_point> started;
};

} // namespace

std::string tandem::describe(PassCounts counts) {
  std::string text;
  for (auto [what, number] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        std::string_view(what), number);
  return text;
}

PassReport::Entry &PassReport::entryOf(StringRef pass) {
  auto found = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.pass == pass; });
  if (found != entries.end())
    return *found;
  return entries.emplace_back(pass.str());
}

void PassReport::addTime(StringRef pass, double milliseconds) {
  std::scoped_lock lock(mutex);
  entryOf(pass).milliseconds += milliseconds;
}

void PassReport::addCounts(StringRef pass, PassCounts counts) {
  std::scoped_lock lock(mutex);
  auto &own = entryOf(pass).counts;
  for (auto [what, number] : counts) {
    auto found =
        llvm::find_if(own, [&](const auto &it) { return it.first == what; });
    if (found == own.end())
      own.emplace_back(what.str(), number);
    else
      found->second += number;
  }
}

int64_t PassReport::count(StringRef pass, StringRef what) const {
  std::scoped_lock lock(mutex);
  for (const Entry &entry : entries)
    for (const auto &[name, number] : entry.counts)
      if (entry.pass == pass && name == what)
        return number;
  return 0;
}

void PassReport::print(raw_ostream &out) const {
  std::scoped_lock lock(mutex);
  for (const Entry &entry : entries) {
    SmallVector<std::pair<StringRef, int64_t>> counts(entry.counts.begin(),
                                                      entry.counts.end());
    std::string line = fmt::format("{:<20}{:>9.2f} ms  {}", entry.pass,
                                   entry.milliseconds, describe(counts));
    out << StringRef(line).rtrim() << '\n';
  }
}

std::unique_ptr<PassInstrumentation> PassReport::timer() {
  return std::make_unique<PassTimer>(*this);
}
