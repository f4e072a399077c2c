#pragma once

#include "ir/Tandem.h"

namespace tandem {

/// [heads, N, head size] as rows [N, heads * head size]; or [heads, head size,
/// N] where the rows are in dimension 2.
inline mlir::Value headsToRows(mlir::OpBuilder &builder,
                               mlir::Location location, mlir::Value x,
                               int64_t rowDim = 1) {
  auto shape = mlir::cast<mlir::ShapedType>(x.getType()).getShape();
  int64_t permutation[] = {rowDim, 0, 3 - rowDim};
  int64_t rows[] = {shape[rowDim], shape[0] * shape[3 - rowDim]};
  mlir::Value swapped = create<TransposeOp>(builder, location, x,
                                            mlir::ValueRange(), permutation);
  return create<ReshapeOp>(builder, location, swapped, mlir::ValueRange(),
                           rows);
}

/// The dimension of the keys, or of the values, that numbers the rows: `pairs`
/// is q k^T, `sums` the product of what softmax makes with the values.
inline int64_t keyRowDim(MatmulOp pairs) {
  return pairs.getTransposeRhs() ? 1 : 2;
}
inline int64_t valueRowDim(MatmulOp sums) {
  return sums.getTransposeRhs() ? 2 : 1;
}

/// Rows [N, heads * head size] as [heads, N, head size].
inline mlir::Value rowsToHeads(mlir::OpBuilder &builder,
                               mlir::Location location, mlir::Value x,
                               int64_t heads) {
  auto shape = mlir::cast<mlir::ShapedType>(x.getType()).getShape();
  int64_t split[] = {shape[0], heads, shape[1] / heads},
          permutation[] = {1, 0, 2};
  mlir::Value parts =
      create<ReshapeOp>(builder, location, x, mlir::ValueRange(), split);
  return create<TransposeOp>(builder, location, parts, mlir::ValueRange(),
                             permutation);
}

} // namespace tandem
