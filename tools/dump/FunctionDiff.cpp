#include "tools/dump/FunctionDiff.h"
#include "ir/OpName.h"
#include "tools/dump/TypeText.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem {

namespace {

using Ops = std::vector<mlir::Operation *>;

/// Ops that a reader compares: those that do work, and views, which take the
/// place of some.
Ops comparedOps(mlir::func::FuncOp function) {
  Ops ops;
  for (mlir::Operation &op : function.front())
    if (doesWork(&op) || mlir::isa<mlir::memref::SubViewOp>(op))
      ops.push_back(&op);
  return ops;
}

Work workOrNothing(mlir::Operation *op) {
  return doesWork(op) ? workOf(op).value_or(Work()) : Work();
}

int64_t numBytes(const Work &work) {
  int64_t sum = 0;
  for (Storage storage : allStorages)
    sum += work.readIn(storage) + work.writtenIn(storage);
  return sum;
}

/// What an op makes, as one compares it: shapes, then attributes.
std::vector<std::string> appearance(mlir::Operation *op) {
  std::vector<std::string> parts;
  for (mlir::Value result : op->getResults())
    if (!mlir::isa<KvCacheType>(result.getType()))
      parts.push_back(shapeText(result.getType()));
  if (auto compute = mlir::dyn_cast<ComputeOpInterface>(op))
    for (mlir::Value destination : compute.getDestinations())
      parts.push_back(shapeText(destination.getType()));
  if (auto append = mlir::dyn_cast<KvAppendOp>(op))
    parts.push_back(shapeText(append.getKeys().getType()));
  for (mlir::NamedAttribute named : statedAttributes(op)) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << named.getName().getValue() << " = " << named.getValue();
    parts.push_back(text);
  }
  return parts;
}

/// The parts of `from` that are not in `other`, or "nothing".
std::string difference(const std::vector<std::string> &from,
                       const std::vector<std::string> &other) {
  std::vector<std::string> parts;
  for (const std::string &part : from)
    if (!llvm::is_contained(other, part) && !llvm::is_contained(parts, part))
      parts.push_back(part);
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

/// An op by where it comes from, its kind, and its number among those.
using Key = std::tuple<std::string, std::string, int64_t>;

std::vector<Key> keysOf(const Ops &ops) {
  std::map<std::pair<std::string, std::string>, int64_t> seen;
  std::vector<Key> keys;
  for (mlir::Operation *op : ops) {
    std::pair kind(originOf(op).str(), shortName(op).str());
    keys.emplace_back(kind.first, kind.second, seen[kind]++);
  }
  return keys;
}

/// The length of the longest rising run of `values`, gaps allowed.
int64_t longestRise(const std::vector<size_t> &values) {
  std::vector<size_t> lasts; // of a rise of each length, the least last value
  for (size_t value : values) {
    auto at = std::ranges::lower_bound(lasts, value);
    if (at == lasts.end())
      lasts.push_back(value);
    else
      *at = value;
  }
  return lasts.size();
}

class Comparison {
public:
  Comparison(mlir::func::FuncOp before, mlir::func::FuncOp after)
      : opsBefore(comparedOps(before)), opsAfter(comparedOps(after)) {
    diff.before = before.getName().str();
    diff.after = after.getName().str();
  }

  FunctionDiff run() {
    for (mlir::Operation *op : opsBefore)
      count(op, diff.ops[shortName(op).str()].first, diff.totalBefore,
            changes[originOf(op).str()].bytesBefore);
    for (mlir::Operation *op : opsAfter)
      count(op, diff.ops[shortName(op).str()].second, diff.totalAfter,
            changes[originOf(op).str()].bytesAfter);
    match();
    for (auto &[origin, change] : changes) {
      change.origin = origin;
      if (!change.isNothing())
        diff.changes.push_back(std::move(change));
    }
    return std::move(diff);
  }

private:
  static void count(mlir::Operation *op, OpCount &kind, Work &total,
                    int64_t &bytes) {
    Work work = workOrNothing(op);
    ++kind.count;
    kind.work += work;
    total += work;
    bytes += numBytes(work);
  }

  void match() {
    std::vector<Key> keysBefore = keysOf(opsBefore),
                     keysAfter = keysOf(opsAfter);
    std::map<Key, size_t> places;
    for (auto [i, key] : llvm::enumerate(keysAfter))
      places[key] = i;
    std::vector<size_t> matched; // places after, in the order before
    for (auto [i, key] : llvm::enumerate(keysBefore)) {
      auto place = places.find(key);
      const auto &[origin, kind, number] = key;
      if (place == places.end()) {
        ++changes[origin].removed[kind];
        continue;
      }
      matched.push_back(place->second);
      auto was = appearance(opsBefore[i]);
      auto is = appearance(opsAfter[place->second]);
      if (was != is)
        changes[origin].changed.push_back(
            {kind, difference(was, is), difference(is, was)});
      places.erase(place);
    }
    for (const auto &[key, place] : places)
      ++changes[std::get<0>(key)].added[std::get<1>(key)];
    diff.numMoved = matched.size() - longestRise(matched);
  }

  Ops opsBefore, opsAfter;
  llvm::MapVector<std::string, OriginChange, std::map<std::string, unsigned>>
      changes;
  FunctionDiff diff;
};

} // namespace

FunctionDiff diffFunctions(mlir::func::FuncOp before,
                           mlir::func::FuncOp after) {
  return Comparison(before, after).run();
}

} // namespace tandem
