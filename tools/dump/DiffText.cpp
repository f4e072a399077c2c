#include "tools/dump/LayerName.h"
#include "tools/dump/ModuleDiff.h"
#include "tools/dump/Quantity.h"

#include "llvm/ADT/MapVector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem {

namespace {

/// In the order in which keys first came.
template <typename Key, typename T>
using OrderedMap = llvm::MapVector<Key, T, std::map<Key, unsigned>>;

std::string fromTo(const std::string &before, const std::string &after) {
  return before == after ? before : before + " -> " + after;
}

int64_t sum(const Work::Bytes &bytes) {
  int64_t total = 0;
  for (int64_t count : bytes)
    total += count;
  return total;
}

std::string tableRow(const std::string &name, const OpCount &before,
                     const OpCount &after) {
  auto bytes = [](const Work::Bytes &was, const Work::Bytes &is) {
    return fromTo(bytesText(sum(was)), bytesText(sum(is)));
  };
  return fmt::format(
      "  {:<18}{:>12}{:>20}{:>20}{:>24}\n", name,
      fromTo(std::to_string(before.count), std::to_string(after.count)),
      bytes(before.work.read, after.work.read),
      bytes(before.work.written, after.work.written),
      fromTo(flopText(before.work.flop), flopText(after.work.flop)));
}

std::string table(const FunctionDiff &diff) {
  std::string text = fmt::format("  {:<18}{:>12}{:>20}{:>20}{:>24}\n", "op",
                                 "count", "reads", "writes", "computes");
  OpCount before, after;
  for (const auto &[name, counts] : diff.ops) {
    text += tableRow(name, counts.first, counts.second);
    before.count += counts.first.count;
    after.count += counts.second.count;
  }
  before.work = diff.totalBefore;
  after.work = diff.totalAfter;
  text += tableRow("all", before, after);
  if (before.work.isBound || after.work.isBound)
    text += "  at most: for the longest sequence\n";
  return text;
}

/// "matmul x2, softmax"
std::string listed(const std::map<std::string, int64_t> &ops) {
  std::vector<std::string> parts;
  for (const auto &[name, count] : ops)
    parts.push_back(count > 1 ? fmt::format("{} x{}", name, count) : name);
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "attn: matmul x2, softmax -> cached_attention (2.4 MB -> 394 KB)"
std::string changeLine(llvm::StringRef part, const OriginChange &change,
                       bool withBytes) {
  std::vector<std::string> parts;
  if (!change.removed.empty() && !change.added.empty())
    parts.push_back(listed(change.removed) + " -> " + listed(change.added));
  else if (!change.removed.empty())
    parts.push_back("no " + listed(change.removed));
  else if (!change.added.empty())
    parts.push_back("new " + listed(change.added));
  std::map<std::string, int64_t> changed; // once where several are alike
  for (const ChangedOp &op : change.changed)
    ++changed[fmt::format("{} {} -> {}", op.op, op.before, op.after)];
  if (!changed.empty())
    parts.push_back(listed(changed));
  std::string bytes =
      withBytes
          ? fmt::format(" ({} moved)", fromTo(bytesText(change.bytesBefore),
                                              bytesText(change.bytesAfter)))
          : "";
  return fmt::format("{}{}{}{}", part.str(), part.empty() ? "" : ": ",
                     fmt::join(parts, "; "), bytes);
}

/// "h.0, h.2 .. h.5"
std::string layerList(llvm::StringRef stack, std::vector<int64_t> layers) {
  std::vector<std::string> runs;
  for (size_t i = 0; i < layers.size();) {
    size_t end = i + 1;
    while (end < layers.size() && layers[end] == layers[end - 1] + 1)
      ++end;
    std::string run = fmt::format("{}.{}", stack.str(), layers[i]);
    if (end - i > 1)
      run += fmt::format(" .. {}.{}", stack.str(), layers[end - 1]);
    runs.push_back(run);
    i = end;
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

/// Names of parameters, those of several layers together:
/// "  h.0 .. h.5: ln_1.weight, ln_1.bias".
std::string parameterLines(const std::vector<std::string> &names) {
  using Part = std::pair<std::string, std::string>; // stack, name in a layer
  OrderedMap<Part, std::vector<int64_t>> parts;
  std::vector<std::string> outside;
  for (const std::string &name : names) {
    if (auto layer = layerOf(name))
      parts[{layer->stack.str(), layer->part.str()}].push_back(layer->index);
    else
      outside.push_back(name);
  }
  OrderedMap<std::string, std::vector<std::string>> groups;
  for (auto &[part, indices] : parts)
    groups[layerList(part.first, indices)].push_back(part.second);
  std::string text;
  for (auto &[layers, parts] : groups)
    text += fmt::format("  {}: {}\n", layers, fmt::join(parts, ", "));
  if (!outside.empty())
    text += fmt::format("  {}\n", fmt::join(outside, ", "));
  return text;
}

/// A line each change; those that are the same in several layers once, under
/// the layers' names.
std::string changeLines(const FunctionDiff &diff, bool withBytes) {
  using LineInStack = std::pair<std::string, std::string>;
  OrderedMap<LineInStack, std::vector<int64_t>> layers;
  std::string text;
  for (const OriginChange &change : diff.changes) {
    if (auto layer = layerOf(change.origin))
      layers[{layer->stack.str(), changeLine(layer->part, change, withBytes)}]
          .push_back(layer->index);
    else
      text += "  " + changeLine(change.origin, change, withBytes) + "\n";
  }
  OrderedMap<std::string, std::string> groups;
  for (auto &[line, indices] : layers)
    groups[layerList(line.first, indices)] += "    " + line.second + "\n";
  for (auto &[group, lines] : groups)
    text += fmt::format("  {}\n{}", group, lines);
  if (diff.numMoved)
    text += fmt::format("  {} {} in another place in the order\n",
                        diff.numMoved, diff.numMoved == 1 ? "op" : "ops");
  return text;
}

std::string nameOf(const FunctionDiff &diff) {
  return fromTo("@" + diff.before, "@" + diff.after);
}

} // namespace

std::string diffText(const ModuleDiff &diff) {
  std::string text = fmt::format("{} -> {}\n", diff.before, diff.after);
  // Of functions with the same changes.
  OrderedMap<std::string, std::vector<const FunctionDiff *>> groups;
  for (const FunctionDiff &function : diff.functions) {
    text += fmt::format("\n{}\n{}", nameOf(function), table(function));
    groups[changeLines(function, false)].push_back(&function);
  }
  for (auto &[lines, functions] : groups) {
    std::vector<std::string> names;
    for (const FunctionDiff *function : functions)
      names.push_back(nameOf(*function));
    bool isOne = functions.size() == 1;
    std::string shown = isOne ? changeLines(*functions.front(), true) : lines;
    text += fmt::format("\n{}\n{}", fmt::join(names, ", "),
                        shown.empty() ? "  no op is different\n" : shown);
  }
  for (const auto &[what, names] :
       {std::pair("functions removed", &diff.removedFunctions),
        std::pair("functions added", &diff.addedFunctions)})
    if (!names->empty())
      text += fmt::format("\n{}: {}\n", what, fmt::join(*names, ", "));
  for (const auto &[what, names] : diff.parameters)
    text += fmt::format("\n{} {}: {}\n{}", names.size(),
                        names.size() == 1 ? "parameter" : "parameters", what,
                        parameterLines(names));
  return text;
}

} // namespace tandem
