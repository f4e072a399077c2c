// The usual MLIR tool over the tandem dialect and its passes.

#include "ir/Tandem.h"
#include "passes/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tandem::TandemDialect, mlir::func::FuncDialect,
                  mlir::memref::MemRefDialect, mlir::arith::ArithDialect>();
  tandem::registerTandemPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tandem's optimiser driver\n", registry));
}
