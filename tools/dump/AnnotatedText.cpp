#include "tools/dump/AnnotatedText.h"
#include "ir/ElementTypes.h"
#include "passes/ReadPlan.h"
#include "tools/dump/FunctionWork.h"
#include "tools/dump/Quantity.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>
#include <map>

namespace tandem {

namespace {

/// Comments of a line of the printed module.
struct LineComments {
  std::vector<std::string> above, below;
  std::string after;
};

std::vector<std::string> functionComments(mlir::func::FuncOp function) {
  FunctionWork work = workOf(function);
  std::vector<std::string> lines = {
      fmt::format("{} ops; {}{}", work.numOps,
                  work.total.isBound ? "at most " : "",
                  flopText(work.total.flop)),
      "reads " + bytesText(work.total.read),
      "writes " + bytesText(work.total.written)};
  if (work.numUnknown)
    lines.push_back(fmt::format("{} of them not counted: nothing bounds their "
                                "open dimensions",
                                work.numUnknown));
  if (std::optional<ArenaUse> arena = readPlan(function))
    lines.push_back(fmt::format("arena {} B, {} B at least in this order",
                                arena->sizeInBytes, arena->lowerBound));
  return lines;
}

LineComments commentsFor(mlir::Operation &op) {
  LineComments comments;
  if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op)) {
    if (!function.isExternal())
      comments.above = functionComments(function);
  } else if (auto parameter = mlir::dyn_cast<ParameterOp>(op)) {
    comments.after = bytesText(packedSizeInBytes(parameter)) + " constant";
  } else if (doesWork(&op)) {
    std::optional<Work> work = workOf(&op);
    comments.below = {work ? workText(*work)
                           : "not counted: nothing bounds an open dimension"};
  }
  return comments;
}

/// Indentation of `line`, and `deeper` more.
std::string indentOf(llvm::StringRef line, size_t deeper) {
  return std::string(line.size() - line.ltrim(' ').size() + deeper, ' ');
}

} // namespace

std::string plainText(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

std::string annotatedText(mlir::ModuleOp module) {
  std::string plain;
  mlir::AsmState::LocationMap places; // of each op: its line, from 1 on
  mlir::AsmState state(module, mlir::OpPrintingFlags(), &places);
  llvm::raw_string_ostream stream(plain);
  module->print(stream, state);

  std::map<unsigned, LineComments> comments;
  module->walk([&](mlir::Operation *op) {
    comments[places.lookup(op).first] = commentsFor(*op);
  });
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(plain).rtrim('\n').split(lines, '\n');
  std::string text;
  for (auto [i, line] : llvm::enumerate(lines)) {
    const LineComments &comment = comments[i + 1];
    for (const std::string &above : comment.above)
      text += indentOf(line, 0) + "// " + above + "\n";
    text += line.str() +
            (comment.after.empty() ? "" : "  // " + comment.after) + "\n";
    for (const std::string &below : comment.below)
      text += indentOf(line, 4) + "// " + below + "\n";
  }
  return text;
}

} // namespace tandem
