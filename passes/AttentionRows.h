#pragma once

#include "ir/Tandem.h"

namespace tandem {

/// [heads, N, head size] as rows [N, heads * head size].
inline mlir::Value headsToRows(mlir::OpBuilder &builder,
                               mlir::Location location, mlir::Value x) {
  auto shape = mlir::cast<mlir::ShapedType>(x.getType()).getShape();
  int64_t permutation[] = {1, 0, 2}, rows[] = {shape[1], shape[0] * shape[2]};
  mlir::Value swapped = create<TransposeOp>(builder, location, x,
                                            mlir::ValueRange(), permutation);
  return create<ReshapeOp>(builder, location, swapped, mlir::ValueRange(),
                           rows);
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
