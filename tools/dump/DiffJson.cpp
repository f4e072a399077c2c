#include "tools/dump/ModuleDiff.h"
#include "tools/dump/ModuleJson.h"

namespace tandem {

namespace {

Json workJson(const Work &work) {
  return {{"bytes_read", bytesJson(work.read)},
          {"bytes_written", bytesJson(work.written)},
          {"flop", work.flop},
          {"at_most", work.isBound}};
}

Json countJson(const OpCount &ops) {
  Json result = {{"count", ops.count}};
  result.update(workJson(ops.work));
  return result;
}

Json changeJson(const OriginChange &change) {
  Json result;
  result["where"] = change.origin;
  result["removed"] = Json(change.removed);
  result["added"] = Json(change.added);
  result["changed"] = Json::array();
  for (const ChangedOp &op : change.changed)
    result["changed"].push_back(
        {{"op", op.op}, {"before", op.before}, {"after", op.after}});
  result["bytes_before"] = change.bytesBefore;
  result["bytes_after"] = change.bytesAfter;
  return result;
}

Json functionJson(const FunctionDiff &diff) {
  Json result;
  result["before"] = diff.before;
  result["after"] = diff.after;
  result["ops"] = Json::object();
  for (const auto &[name, counts] : diff.ops)
    result["ops"][name] = {{"before", countJson(counts.first)},
                           {"after", countJson(counts.second)}};
  result["total"] = {{"before", workJson(diff.totalBefore)},
                     {"after", workJson(diff.totalAfter)}};
  result["changes"] = Json::array();
  for (const OriginChange &change : diff.changes)
    result["changes"].push_back(changeJson(change));
  result["moved"] = diff.numMoved;
  return result;
}

} // namespace

Json diffJson(const ModuleDiff &diff) {
  Json result;
  result["before"] = diff.before;
  result["after"] = diff.after;
  result["functions"] = Json::array();
  for (const FunctionDiff &function : diff.functions)
    result["functions"].push_back(functionJson(function));
  result["functions_removed"] = diff.removedFunctions;
  result["functions_added"] = diff.addedFunctions;
  result["parameters"] = Json(diff.parameters);
  return result;
}

} // namespace tandem
