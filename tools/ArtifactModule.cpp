#include "tools/ArtifactModule.h"

#include "ir/Diagnostics.h"
#include "ir/Tandem.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

namespace tandem {

std::string moduleSection(mlir::ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  // Fails only where an older format is asked for.
  (void)mlir::writeBytecodeToFile(module, stream);
  return bytes;
}

Result<mlir::OwningOpRef<mlir::ModuleOp>>
readModule(const LoadedArtifact &artifact, mlir::MLIRContext &context) {
  if (artifact.module.empty())
    return failure("module: got none, expected one");
  context.loadDialect<TandemDialect, mlir::func::FuncDialect,
                      mlir::memref::MemRefDialect, mlir::arith::ArithDialect>();
  DiagnosticText diagnostics(&context);
  llvm::StringRef bytes(reinterpret_cast<const char *>(artifact.module.data()),
                        artifact.module.size());
  auto module = mlir::parseSourceString<mlir::ModuleOp>(bytes, &context);
  if (!module)
    return failure("module: {}", diagnostics.failure().error().message);
  return module;
}

} // namespace tandem
