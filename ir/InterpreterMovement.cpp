// The ops that move elements; one sums what it moves.

#include "ir/InterpreterOps.h"

using namespace mlir;
using namespace tandem;

/// The rows of `table` that `ids` names.
static FailureOr<Array> pickRows(Operation *op, StringRef operand,
                                 const Array &table, const Array &ids) {
  int64_t d = table.dim(1);
  Array out = Array::zeros({ids.dim(0), d});
  for (auto [n, id] : llvm::enumerate(ids.elements)) {
    if (!(id >= 0 && id < table.dim(0)))
      return op->emitOpError(operand)
             << ": got " << static_cast<int64_t>(id) << " in row " << n
             << ", expected 0 to " << table.dim(0) - 1;
    std::copy_n(&table.elements[static_cast<int64_t>(id) * d], d,
                &out.elements[n * d]);
  }
  return out;
}

Evaluated tandem::evaluate(EmbeddingOp op, Operands<EmbeddingOp> a) {
  FailureOr<Array> out = pickRows(op, "ids", *a.getTable(), *a.getIds());
  if (failed(out))
    return failure();
  return std::vector<Array>{*out};
}

Evaluated tandem::evaluate(AddEmbeddingOp op, Operands<AddEmbeddingOp> a) {
  FailureOr<Array> lhs =
      pickRows(op, "lhs_ids", *a.getLhsTable(), *a.getLhsIds());
  FailureOr<Array> rhs =
      pickRows(op, "rhs_ids", *a.getRhsTable(), *a.getRhsIds());
  if (failed(lhs) || failed(rhs) ||
      failed(expectShape(op, "rhs_ids", *rhs, lhs->shape)))
    return failure();
  for (auto [sum, element] : llvm::zip_equal(lhs->elements, rhs->elements))
    sum += element;
  return std::vector<Array>{*lhs};
}

Evaluated tandem::evaluate(ReshapeOp op, Operands<ReshapeOp> a) {
  Array out = *a.getX();
  SmallVector<int64_t> shape(a.getShape());
  int64_t known = 1;
  for (int64_t dim : shape)
    known *= dim == -1 ? 1 : dim;
  std::replace(shape.begin(), shape.end(), int64_t(-1),
               out.numElements() / known);
  if (Array::zeros(shape).numElements() != out.numElements())
    return op.emitOpError("operand 'x': got shape [")
           << ArrayRef(out.shape)
           << "] at run time, expected as many elements as [" << a.getShape()
           << "]";
  out.shape = shape;
  return std::vector<Array>{out};
}

Evaluated tandem::evaluate(TransposeOp op, Operands<TransposeOp> a) {
  const Array &x = *a.getX();
  SmallVector<int64_t> strides(x.shape.size(), 1), shape;
  for (size_t i = x.shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * x.shape[i];
  for (int64_t dim : a.getPermutation())
    shape.push_back(x.shape[dim]);
  Array out = Array::zeros(shape);
  for (auto [i, element] : llvm::enumerate(out.elements)) {
    int64_t rest = i, from = 0;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      from += rest % shape[dim] * strides[a.getPermutation()[dim]];
    element = x.elements[from];
  }
  return std::vector<Array>{out};
}

Evaluated tandem::evaluate(SliceOp op, Operands<SliceOp> a) {
  const Array &x = *a.getX();
  SmallVector<int64_t> shape(x.shape);
  int64_t whole = shape[a.getDim()], size = a.getSize(), inner = 1;
  shape[a.getDim()] = size;
  for (int64_t dim : ArrayRef(shape).drop_front(a.getDim() + 1))
    inner *= dim;
  Array out = Array::zeros(shape);
  for (auto [i, element] : llvm::enumerate(out.elements)) {
    int64_t outer = i / inner / size, index = i / inner % size + a.getOffset();
    element = x.elements[(outer * whole + index) * inner + i % inner];
  }
  return std::vector<Array>{out};
}
