#include "passes/Diagnostics.h"

using namespace mlir;
using namespace tandem;

DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
            !message.empty())
          return;
        llvm::raw_string_ostream stream(message);
        if (!isa<UnknownLoc>(diagnostic.getLocation()))
          stream << diagnostic.getLocation() << ": ";
        stream << diagnostic;
      }) {}

std::unexpected<Error> DiagnosticText::failure() const {
  return tandem::failure("{}",
                         message.empty() ? "compilation failed" : message);
}
