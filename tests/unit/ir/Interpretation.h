#pragma once

#include "ir/Interpreter.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>

namespace tandem {

/// IR given as text, and the reference interpreter over it.
class Interpretation {
public:
  /// Parses and verifies a module; what is wrong with it goes to errors().
  explicit Interpretation(llvm::StringRef text);

  /// Interprets a function, on weight values given as `weights`.
  mlir::FailureOr<std::vector<Array>> run(llvm::StringRef function,
                                          llvm::ArrayRef<Array> inputs);

  /// A cache of the module's type, for the runs that follow.
  KvCacheState &makeCache(int64_t numBlocks);

  std::map<std::string, Array> weights;
  /// Every diagnostic so far, one a line.
  const std::string &errors() const { return text; }

private:
  mlir::MLIRContext context;
  std::string text;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<KvCacheState> cache;
};

/// The results of `@f` in a module of that text, all of which must work.
std::vector<Array> interpretText(llvm::StringRef text,
                                 llvm::ArrayRef<Array> inputs);

/// EXPECTs the shape, and each element within 1e-12; NaN equals NaN.
void expectArray(const Array &got, llvm::ArrayRef<int64_t> shape,
                 const std::vector<double> &elements);

} // namespace tandem
