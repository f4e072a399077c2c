#include "RandomGraph.h"

#include "FixedConversation.h"
#include "TestModels.h"
#include "frontend/GraphBuilder.h"

#include <algorithm>
#include <random>

using namespace mlir;
using namespace tandem;

namespace {

class RandomGraph {
public:
  RandomGraph(MLIRContext &context, uint32_t seed)
      : random(seed), graph(context, testPositions) {
    heads = between(1, 4);
    headSize = between(1, 5);
    embed = chance(2) ? heads * headSize : between(1, 9);
    numLayers = between(1, 3);
    layersAreNamed = chance(2);
  }

  OwningOpRef<ModuleOp> build();

private:
  int64_t between(int64_t least, int64_t most) {
    return least + random() % (most - least + 1);
  }
  /// True once in `n` times.
  bool chance(int64_t n) { return random() % n == 0; }

  Value binary(Value lhs, Value rhs, bool isSum) {
    return isSum ? graph.add<AddOp>(lhs, rhs, ValueRange{})
                 : graph.add<MulOp>(lhs, rhs, ValueRange{});
  }
  Value sum(Value a, Value b) {
    return chance(2) ? binary(a, b, true) : binary(b, a, true);
  }
  int64_t widthOf(Value x) {
    return cast<ShapedType>(x.getType()).getShape().back();
  }
  std::string fresh(const char *what) {
    return what + std::to_string(numWeights++);
  }

  Value project(Value x, int64_t out);
  Value norm(Value x);
  Value decorate(Value x);
  Value byHead(Value x);
  Value scores(Value q, Value k);
  Value attention(Value x);
  Value mlp(Value x);
  Value layer(Value x);

  std::mt19937 random;
  GraphBuilder graph;
  int64_t heads, headSize, embed, numLayers;
  bool layersAreNamed;
  int numWeights = 0;
};

} // namespace

/// x times a weight of its own, with or without bias.
Value RandomGraph::project(Value x, int64_t out) {
  bool isTransposed = chance(3);
  int64_t in = widthOf(x);
  auto shape = isTransposed ? std::array{out, in} : std::array{in, out};
  Value weight = graph.weight(fresh("w"), shape);
  x = graph.add<MatmulOp>(x, weight, ValueRange{}, isTransposed);
  return chance(3) ? x : binary(x, graph.weight(fresh("b"), out), true);
}

Value RandomGraph::norm(Value x) {
  if (chance(5))
    return x;
  Value scale = graph.weight(fresh("gain"), widthOf(x));
  Value bias = graph.weight(fresh("shift"), widthOf(x));
  // Wide enough that rows of nearly equal elements stay harmless.
  llvm::APFloat epsilon(chance(2) ? 0.5 : 0.1);
  return graph.add<LayerNormOp>(x, scale, bias, ValueRange{}, epsilon);
}

/// x, or x with something elementwise done to it.
Value RandomGraph::decorate(Value x) {
  switch (between(0, 11)) {
  case 0:
    return graph.add<ScaleOp>(x, ValueRange{},
                              llvm::APFloat(chance(2) ? -0.7 : 1.3));
  case 1:
    return binary(x, graph.weight(fresh("stretch"), widthOf(x)), false);
  case 2:
    return binary(x, graph.weight(fresh("offset"), widthOf(x)), true);
  case 3:
    return binary(x, x, chance(2));
  default:
    return x;
  }
}

/// Rows [N, h hd] as [h, N, hd].
Value RandomGraph::byHead(Value x) {
  int64_t split[] = {-1, heads, headSize};
  x = graph.add<ReshapeOp>(x, ValueRange{}, ArrayRef(split));
  return graph.add<TransposeOp>(x, ValueRange{}, ArrayRef<int64_t>{1, 0, 2});
}

/// softmax(mask(q k^T)), scaled before, between, after the mask, or not.
Value RandomGraph::scores(Value q, Value k) {
  int64_t place = between(0, 3);
  double factor = 0.2 + 0.1 * static_cast<double>(between(0, 9));
  auto scaleAt = [&](int64_t here, Value x) -> Value {
    return place == here
               ? graph.add<ScaleOp>(x, ValueRange{}, llvm::APFloat(factor))
               : x;
  };
  Value x = graph.add<MatmulOp>(scaleAt(0, q), k, ValueRange{}, true);
  x = scaleAt(1, x);
  x = graph.add<CausalMaskOp>(x, graph.positions(), ValueRange{});
  x = scaleAt(2, x);
  return graph.add<SoftmaxOp>(x, ValueRange{});
}

Value RandomGraph::attention(Value x) {
  int64_t width = heads * headSize;
  std::array<Value, 3> parts;
  std::array<int64_t, 3> order = {0, 1, 2};
  std::shuffle(order.begin(), order.end(), random);
  if (chance(2)) {
    Value merged = project(x, 3 * width);
    for (int64_t i = 0; i < 3; ++i)
      parts[order[i]] =
          graph.add<SliceOp>(merged, ValueRange{}, 1, i * width, width);
  } else {
    for (int64_t part : order)
      parts[part] = project(x, width);
    if (chance(6))
      parts[2] = parts[1]; // values that are the keys
  }
  for (Value &part : parts)
    part = byHead(decorate(part));
  Value out = graph.add<MatmulOp>(scores(parts[0], parts[1]), parts[2],
                                  ValueRange{}, false);
  out = graph.add<TransposeOp>(out, ValueRange{}, ArrayRef<int64_t>{1, 0, 2});
  out = graph.add<ReshapeOp>(out, ValueRange{}, ArrayRef<int64_t>{-1, width});
  return project(out, embed);
}

Value RandomGraph::mlp(Value x) {
  auto activate = [&](Value x) -> Value {
    constexpr ActivationKind kinds[] = {
        ActivationKind::GeluTanh, ActivationKind::GeluErf, ActivationKind::Relu,
        ActivationKind::Silu, ActivationKind::Tanh};
    auto kind = ActivationKindAttr::get(x.getContext(), kinds[between(0, 4)]);
    return graph.add<ActivationOp>(x, ValueRange{}, kind);
  };
  int64_t inner = between(1, 20);
  Value hidden = project(x, inner);
  if (chance(3)) // gated
    hidden = binary(activate(project(x, inner)), hidden, false);
  else if (!chance(6))
    hidden = activate(decorate(hidden));
  return project(decorate(hidden), embed);
}

/// x [N, embed], and the layer's result.
Value RandomGraph::layer(Value x) {
  switch (between(0, 3)) {
  case 0: { // side by side on one norm
    Value n = norm(x);
    Value attended = attention(n), thought = mlp(n);
    return sum(sum(x, attended), thought);
  }
  case 1: // norms behind the sums
    x = norm(sum(x, attention(x)));
    return norm(sum(x, mlp(x)));
  case 2: // no residual around the MLP
    x = sum(attention(norm(x)), x);
    return mlp(norm(x));
  default: // as GPT-2
    x = sum(attention(norm(x)), x);
    return sum(mlp(norm(x)), decorate(x));
  }
}

OwningOpRef<ModuleOp> RandomGraph::build() {
  bool isTied = chance(2);
  Value table = graph.weight("words", {testVocabulary, embed});
  Value x = graph.add<EmbeddingOp>(table, graph.tokens(), ValueRange{});
  Value places = graph.weight("places", {testPositions, embed});
  x = sum(x, graph.add<EmbeddingOp>(places, graph.positions(), ValueRange{}));
  for (int64_t i = 0; i < numLayers; ++i) {
    if (layersAreNamed)
      graph.locate("layer " + std::to_string(i));
    x = layer(decorate(x));
  }
  x = norm(x);
  Value head = isTied ? graph.weight("words", {testVocabulary, embed})
                      : graph.weight("read_out", {embed, testVocabulary});
  return graph.finish(graph.add<MatmulOp>(x, head, ValueRange{}, isTied));
}

OwningOpRef<ModuleOp> tandem::randomGraph(MLIRContext &context, uint32_t seed) {
  loadTestDialects(context);
  return RandomGraph(context, seed).build();
}
