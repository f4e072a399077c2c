#include "support/OpCost.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tandem {

namespace {

int64_t numElements(const ArrayShape &shape) {
  return std::accumulate(shape.dims.begin(), shape.dims.end(), int64_t{1},
                         std::multiplies<>());
}

int64_t toBytes(int64_t elements, int64_t bits) {
  return (elements * bits + 7) / 8;
}

int64_t sizeInBytes(const ArrayShape &shape) {
  return toBytes(numElements(shape), shape.elementBits);
}

/// Of the formulas in Activation.h, with their constants folded.
int64_t flopPerElement(Activation activation) {
  switch (activation) {
  case Activation::GeluTanh: // x * x * x * a + x, * b, tanh, + 1, * (x / 2)
    return 9;
  case Activation::GeluErf: // x * a, erf, + 1, * (x / 2)
    return 5;
  case Activation::Silu: // x / (1 + exp(-x))
    return 4;
  case Activation::Relu:
  case Activation::Tanh:
    return 1;
  }
  return 0;
}

/// max, x - max, exp, sum, quotient
constexpr int64_t softmaxFlop = 5;
/// sum, x - mean, square, sum, * 1 / deviation, * scale, + bias
constexpr int64_t layerNormFlop = 7;

void addElementwise(const OpShape &op, OpCost &cost, int64_t flopPerElement) {
  cost.elementFlop += flopPerElement * numElements(op.outputs.front());
}

/// Inputs are x, weight, and then a bias, a residual, both or neither.
void addLinear(const OpShape &op, OpCost &cost) {
  cost.productFlop =
      2 * numElements(op.outputs.front()) * op.inputs.front().dims.back();
  addElementwise(op, cost,
                 int64_t(op.inputs.size()) - 2 +
                     (op.activation ? flopPerElement(*op.activation) : 0));
}

/// Of `pairs` of a row and a key, q's width all heads together: a product of
/// keys, its scale and softmax, a sum of values.
void addAttention(const OpShape &op, OpCost &cost, int64_t pairs) {
  cost.productFlop = 4 * pairs * op.inputs.front().dims.back();
  cost.elementFlop = (1 + softmaxFlop) * pairs * op.heads;
}

void addCachedAttention(const OpShape &op, OpCost &cost) {
  const ArrayShape &q = op.inputs.front();
  addAttention(op, cost, q.dims.front() * op.cache.positions);
  cost.cacheBytesRead =
      toBytes(op.cache.sequences * op.cache.positions * 2 * q.dims.back(),
              op.cache.elementBits);
}

struct Entry {
  std::string_view op;
  void (*add)(const OpShape &op, OpCost &cost);
};

template <int64_t flopPerElement>
void elementwise(const OpShape &op, OpCost &cost) {
  addElementwise(op, cost, flopPerElement);
}

constexpr Entry entries[] = {
    {"activation",
     [](const OpShape &op, OpCost &cost) {
       if (op.activation)
         addElementwise(op, cost, flopPerElement(*op.activation));
     }},
    {"add", elementwise<1>},
    {"add_embedding", elementwise<1>},
    {"add_layer_norm", elementwise<1 + layerNormFlop>},
    {"attention",
     [](const OpShape &op, OpCost &cost) { // a row to those up to itself
       int64_t rows = op.inputs.front().dims.front();
       addAttention(op, cost, rows * (rows + 1) / 2);
     }},
    {"cached_attention", addCachedAttention},
    {"cast", elementwise<1>},
    {"causal_mask", elementwise<0>},
    {"embedding", elementwise<0>},
    {"kv_append",
     [](const OpShape &op, OpCost &cost) {
       for (size_t i : {0, 1}) // keys, values
         cost.cacheBytesWritten +=
             toBytes(numElements(op.inputs[i]), op.cache.elementBits);
     }},
    {"kv_read",
     [](const OpShape &op, OpCost &cost) {
       cost.cacheBytesRead =
           toBytes(numElements(op.outputs.front()), op.cache.elementBits);
     }},
    {"layer_norm", elementwise<layerNormFlop>},
    {"linear", addLinear},
    {"matmul", addLinear},
    {"mul", elementwise<1>},
    {"reshape", elementwise<0>},
    {"scale", elementwise<1>},
    {"slice", elementwise<0>},
    {"softmax", elementwise<softmaxFlop>},
    {"transpose", elementwise<0>},
};

} // namespace

bool readsPart(std::string_view op, size_t input) {
  return ((op == "embedding" || op == "slice") && input == 0) ||
         (op == "add_embedding" && (input == 0 || input == 2));
}

std::optional<OpCost> opCost(const OpShape &op) {
  const auto *entry = std::ranges::find(entries, op.op, &Entry::op);
  if (entry == std::end(entries))
    return std::nullopt;
  OpCost cost;
  for (const ArrayShape &output : op.outputs)
    cost.outputBytes.push_back(sizeInBytes(output));
  for (size_t i = 0; i < op.inputs.size(); ++i)
    cost.inputBytes.push_back(
        readsPart(op.op, i)
            ? toBytes(numElements(op.outputs.front()), op.inputs[i].elementBits)
            : sizeInBytes(op.inputs[i]));
  entry->add(op, cost);
  return cost;
}

} // namespace tandem
