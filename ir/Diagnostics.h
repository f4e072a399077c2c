#pragma once

#include "support/Result.h"

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace tandem {

/// While it lives, MLIR's diagnostics go here instead of to standard error;
/// the first error becomes the one line a user sees.
class DiagnosticText {
public:
  explicit DiagnosticText(mlir::MLIRContext *context);

  /// The first error, or "compilation failed" where there was none.
  std::unexpected<Error> failure() const;

private:
  std::string message;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tandem
