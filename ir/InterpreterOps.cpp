// The ops that compute numbers from their operands alone. Axis names as in the
// shape rules: N rows, d width, M x K times K x N products, hd head size.

#include "ir/InterpreterOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace tandem;

static Evaluated one(Array array) {
  return std::vector<Array>{std::move(array)};
}

LogicalResult tandem::expectShape(Operation *op, StringRef operand,
                                  const Array &array,
                                  ArrayRef<int64_t> expected) {
  if (ArrayRef(array.shape) == expected)
    return success();
  return op->emitOpError("operand '")
         << operand << "': got shape [" << ArrayRef(array.shape)
         << "] at run time, expected [" << expected << "]";
}

bool tandem::mayBeInPlace(OpOperand &operand) {
  return TypeSwitch<Operation *, bool>(operand.getOwner())
      .Case<MatmulOp, CastOp, EmbeddingOp, AddEmbeddingOp, TransposeOp,
            AttentionOp>([](auto) { return false; })
      .Case([&](LinearOp op) {
        return llvm::is_contained(
            llvm::make_pointer_range(op.getResidualMutable()), &operand);
      })
      .Default(true);
}

//===-- On arrays ---------------------------------------------------------===//

static Array layerNorm(const Array &x, const Array &scale, const Array &bias,
                       double epsilon) {
  Array out = Array::zeros(x.shape);
  int64_t d = x.dim(-1);
  for (int64_t n = 0; n < x.dim(0); ++n) {
    const double *row = &x.elements[n * d];
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < d; ++i)
      mean += row[i] / d;
    for (int64_t i = 0; i < d; ++i)
      variance += (row[i] - mean) * (row[i] - mean) / d;
    for (int64_t i = 0; i < d; ++i)
      out.elements[n * d + i] =
          (row[i] - mean) / std::sqrt(variance + epsilon) * scale.elements[i] +
          bias.elements[i];
  }
  return out;
}

/// lhs [batch..., M, K] times rhs [batch..., K, N] or [K, N]; rhs is
/// [..., N, K] where it is `transposed`.
static Array product(const Array &lhs, const Array &rhs, bool transposed) {
  int64_t m = lhs.dim(-2), k = lhs.dim(-1), n = rhs.dim(transposed ? -2 : -1);
  SmallVector<int64_t> shape(lhs.shape);
  shape.back() = n;
  Array out = Array::zeros(shape);
  bool isShared = rhs.shape.size() == 2;
  for (int64_t i = 0, rows = out.numElements() / std::max<int64_t>(n, 1);
       i < rows; ++i) {
    const double *matrix = rhs.elements.data() + (isShared ? 0 : i / m * k * n);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l)
        out.elements[i * n + j] += lhs.elements[i * k + l] *
                                   matrix[transposed ? j * k + l : l * n + j];
  }
  return out;
}

template <typename Function>
static Array mapElements(const Array &x, Function function) {
  Array out = x;
  llvm::transform(x.elements, out.elements.begin(), function);
  return out;
}

/// x op y, with y repeated over x's leading dimensions.
template <typename Function>
static Array combine(const Array &x, const Array &y, Function function) {
  Array out = x;
  for (auto [i, element] : llvm::enumerate(out.elements))
    element = function(element, y.elements[i % y.elements.size()]);
  return out;
}

static Array sum(const Array &x, const Array &y) {
  return combine(x, y, std::plus<double>());
}

static double activate(ActivationKind kind, double x) {
  switch (kind) {
  case ActivationKind::GeluTanh:
    return x / 2 *
           (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                          (x + 0.044715 * x * x * x)));
  case ActivationKind::GeluErf:
    return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
  case ActivationKind::Relu:
    return x < 0 ? 0 : x; // NaN stays NaN
  case ActivationKind::Silu:
    return x / (1 + std::exp(-x));
  case ActivationKind::Tanh:
    return std::tanh(x);
  }
  llvm_unreachable("a case for each activation");
}

static Array activate(ActivationKind kind, const Array &x) {
  return mapElements(x,
                     [&](double element) { return activate(kind, element); });
}

//===-- One function an op ------------------------------------------------===//

static Evaluated evaluate(LayerNormOp, Operands<LayerNormOp> a) {
  return one(layerNorm(*a.getX(), *a.getScale(), *a.getBias(),
                       a.getEpsilon().convertToDouble()));
}

static Evaluated evaluate(MatmulOp op, Operands<MatmulOp> a) {
  const Array &lhs = *a.getLhs(), &rhs = *a.getRhs();
  SmallVector<int64_t> expected(
      ArrayRef(lhs.shape).take_front(rhs.shape.size() - 2));
  if (a.getTransposeRhs())
    expected.append({rhs.dim(-2), lhs.dim(-1)});
  else
    expected.append({lhs.dim(-1), rhs.dim(-1)});
  if (failed(expectShape(op, "rhs", rhs, expected)))
    return failure();
  return one(product(lhs, rhs, a.getTransposeRhs()));
}

template <typename Op>
static LogicalResult expectSuffix(Op op, Operands<Op> a) {
  ArrayRef<int64_t> shape = a.getLhs()->shape;
  return expectShape(op, "rhs", *a.getRhs(),
                     shape.take_back(a.getRhs()->shape.size()));
}

static Evaluated evaluate(AddOp op, Operands<AddOp> a) {
  if (failed(expectSuffix(op, a)))
    return failure();
  return one(sum(*a.getLhs(), *a.getRhs()));
}

static Evaluated evaluate(MulOp op, Operands<MulOp> a) {
  if (failed(expectSuffix(op, a)))
    return failure();
  return one(combine(*a.getLhs(), *a.getRhs(), std::multiplies<double>()));
}

static Evaluated evaluate(ScaleOp, Operands<ScaleOp> a) {
  double factor = a.getFactor().convertToDouble();
  return one(mapElements(*a.getX(), [&](double x) { return factor * x; }));
}

static Evaluated evaluate(ActivationOp, Operands<ActivationOp> a) {
  return one(activate(a.getKind(), *a.getX()));
}

static Evaluated evaluate(SoftmaxOp, Operands<SoftmaxOp> a) {
  Array out = *a.getX();
  int64_t size = out.dim(-1);
  for (int64_t i = 0; i < out.numElements(); i += size)
    softmaxInPlace(&out.elements[i], size);
  return one(out);
}

static Evaluated evaluate(CausalMaskOp op, Operands<CausalMaskOp> a) {
  Array out = *a.getScores();
  const Array &positions = *a.getPositions();
  int64_t columns = out.dim(-1), rowsAtRunTime = 1;
  for (int64_t dim : llvm::reverse(ArrayRef(out.shape).drop_back()))
    if (rowsAtRunTime < positions.dim(0))
      rowsAtRunTime *= dim;
  if (failed(expectShape(op, "positions", positions, rowsAtRunTime)))
    return failure();
  for (int64_t i = 0; i < out.numElements(); ++i)
    if (i % columns > positions.elements[i / columns % positions.dim(0)])
      out.elements[i] = -std::numeric_limits<double>::infinity();
  return one(out);
}

static Evaluated evaluate(LinearOp op, Operands<LinearOp> a) {
  Array out = product(*a.getX(), *a.getWeight(), a.getTransposeRhs());
  if (a.getBias())
    out = sum(out, *a.getBias());
  if (std::optional<ActivationKind> kind = a.getActivation())
    out = activate(*kind, out);
  if (!a.getResidual())
    return one(out);
  if (failed(expectShape(op, "residual", *a.getResidual(), out.shape)))
    return failure();
  return one(sum(out, *a.getResidual()));
}

static Evaluated evaluate(AddLayerNormOp op, Operands<AddLayerNormOp> a) {
  if (failed(expectShape(op, "rhs", *a.getRhs(), a.getLhs()->shape)))
    return failure();
  Array total = sum(*a.getLhs(), *a.getRhs());
  Array normal = layerNorm(total, *a.getScale(), *a.getBias(),
                           a.getEpsilon().convertToDouble());
  return std::vector<Array>{std::move(total), std::move(normal)};
}

Evaluated tandem::evaluate(Operation *op, ArrayRef<const Array *> operands,
                           KvCacheState *cache) {
  return TypeSwitch<Operation *, Evaluated>(op)
      .Case<LayerNormOp, MatmulOp, AddOp, MulOp, ScaleOp, ActivationOp,
            SoftmaxOp, CausalMaskOp, LinearOp, AddLayerNormOp>([&](auto op) {
        return ::evaluate(op, Operands<decltype(op)>(operands, op));
      })
      .Case<AttentionOp, CastOp, EmbeddingOp, AddEmbeddingOp, ReshapeOp,
            TransposeOp, SliceOp>([&](auto op) {
        return evaluate(op, Operands<decltype(op)>(operands, op));
      })
      .Case<KvReadOp, CachedAttentionOp>([&](auto op) {
        return evaluate(op, Operands<decltype(op)>(operands, op), *cache);
      })
      .Default([](Operation *op) {
        return op->emitError("got ") << op->getName()
                                     << ", expected an op that the reference "
                                        "interpreter knows";
      });
}
