// The usual MLIR language server over the tandem dialect.

#include "ir/Tandem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tandem::TandemDialect, mlir::func::FuncDialect,
                  mlir::memref::MemRefDialect, mlir::arith::ArithDialect>();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
