#include "tools/dump/DotText.h"
#include "ir/OpName.h"
#include "ir/Work.h"
#include "tools/dump/DataFlow.h"
#include "tools/dump/LayerName.h"
#include "tools/dump/Quantity.h"
#include "tools/dump/TypeText.h"

#include "llvm/ADT/MapVector.h"

#include <fmt/format.h>

namespace tandem {

namespace {

std::string quoted(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

/// A label of several lines.
std::string label(std::initializer_list<llvm::StringRef> lines) {
  std::string text;
  for (llvm::StringRef line : lines)
    if (!line.empty())
      text += (text.empty() ? "" : "\n") + line.str();
  std::string result = quoted(text);
  for (size_t at = 0; (at = result.find('\n', at)) != std::string::npos;)
    result.replace(at, 1, "\\n");
  return result;
}

/// Shape and bytes of what flows along an edge.
std::string flowText(mlir::Value value) {
  std::optional<int64_t> bytes = mlir::isa<mlir::ShapedType>(value.getType())
                                     ? sizeInBytes(value)
                                     : std::nullopt;
  return shapeText(value.getType()) + (bytes ? "\n" + bytesText(*bytes) : "");
}

/// An op that reads which rows are meant, not what they hold: every attention
/// reads the same, and the arrows would cover the graph.
bool saysWhichRows(const DataEdge &edge) {
  auto type = mlir::dyn_cast<mlir::ShapedType>(edge.value.getType());
  return type && type.getElementType().isInteger(32) &&
         !mlir::isa_and_nonnull<EmbeddingOp, AddEmbeddingOp>(edge.to);
}

/// Writes one function as a cluster; the numbers of nodes go on from those of
/// the function before.
class FunctionWriter {
public:
  FunctionWriter(mlir::func::FuncOp function, std::string &text, int &numNodes)
      : function(function), text(text), numNodes(numNodes) {}

  void run() {
    std::string name = function.getName().str();
    text += fmt::format("  subgraph {} {{\n    label={};\n",
                        quoted("cluster_" + name), quoted("@" + name));
    std::vector<DataEdge> edges = dataEdges(function);
    writeOps();
    for (const DataEdge &edge : edges)
      if (!saysWhichRows(edge))
        writeEdge(edge);
    text += "  }\n";
  }

private:
  /// Every op that does work, by layer; those outside of layers stand alone.
  void writeOps() {
    llvm::MapVector<llvm::StringRef, std::vector<mlir::Operation *>> layers;
    for (mlir::Operation &op : function.front()) {
      if (!doesWork(&op))
        continue;
      llvm::StringRef origin = originOf(&op);
      std::optional<LayerName> layer = layerOf(origin);
      size_t length = layer ? origin.size() - layer->part.size() -
                                  (layer->part.empty() ? 0 : 1)
                            : 0;
      layers[origin.take_front(length)].push_back(&op);
    }
    for (auto &[layer, ops] : layers) {
      if (!layer.empty())
        text += fmt::format(
            "    subgraph {} {{\n    label={}; color=grey80;\n",
            quoted("cluster_" + function.getName().str() + "_" + layer.str()),
            quoted(layer));
      for (mlir::Operation *op : ops)
        writeOp(op);
      if (!layer.empty())
        text += "    }\n";
    }
  }

  void writeOp(mlir::Operation *op) {
    std::optional<Work> work = workOf(op);
    nodes[op] = numNodes;
    text += fmt::format("    n{} [label={}, tooltip={}];\n", numNodes++,
                        label({shortName(op), originOf(op), outputShape(op)}),
                        quoted(work ? workText(*work) : ""));
  }

  static std::string outputShape(mlir::Operation *op) {
    if (op->getNumResults() > 0)
      return shapeText(op->getResult(0).getType());
    auto compute = mlir::dyn_cast<ComputeOpInterface>(op);
    return compute && !compute.getDestinations().empty()
               ? shapeText(compute.getDestinations()[0].getType())
               : "";
  }

  /// The node that a value comes from: an op, a weight or an argument.
  int source(const DataEdge &edge) {
    if (edge.from && nodes.contains(edge.from))
      return nodes[edge.from];
    auto [found, isNew] = inputs.try_emplace(edge.value, numNodes);
    if (isNew)
      writeInput(edge, numNodes++);
    return found->second;
  }

  void writeInput(const DataEdge &edge, int node) {
    if (auto weight = mlir::dyn_cast_or_null<WeightOp>(edge.from))
      text += fmt::format(
          "    n{} [label={}, shape=plain, fontsize=8, fontcolor=grey50];\n",
          node, label({weight.getParameter(), flowText(edge.value)}));
    else if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(edge.value))
      text += fmt::format(
          "    n{} [label={}, shape=ellipse];\n", node,
          label({argumentName(argument), shapeText(argument.getType())}));
    else // memory that nothing wrote
      text += fmt::format("    n{} [label=\"?\", shape=ellipse];\n", node);
  }

  void writeEdge(const DataEdge &edge) {
    int from = source(edge);
    int to = edge.to ? nodes[edge.to] : numNodes++;
    if (!edge.to)
      text +=
          fmt::format("    n{} [label={}, shape=ellipse];\n", to,
                      label({edge.output, shapeText(edge.value.getType())}));
    bool isWeight = mlir::isa_and_nonnull<WeightOp>(edge.from);
    std::string style = isWeight ? "color=grey70, arrowsize=0.5"
                                 : "label=" + label({flowText(edge.value)});
    text += fmt::format("    n{} -> n{} [{}];\n", from, to, style);
  }

  mlir::func::FuncOp function;
  std::string &text;
  int &numNodes;
  llvm::DenseMap<mlir::Operation *, int> nodes;
  llvm::DenseMap<mlir::Value, int> inputs; // arguments and weights
};

} // namespace

std::string dotText(mlir::ModuleOp module) {
  std::string text = "digraph module {\n"
                     "  node [shape=box, fontname=Helvetica, fontsize=10];\n"
                     "  edge [fontname=Helvetica, fontsize=8];\n";
  int numNodes = 0;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isExternal())
      FunctionWriter(function, text, numNodes).run();
  return text + "}\n";
}

} // namespace tandem
