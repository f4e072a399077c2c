#include "ir/Diagnostics.h"

#include <algorithm>

using namespace mlir;
using namespace tandem;

/// Where an op comes from: "net.mlir:3:5" in a file, "h.0.attn" in a model that
/// was built; empty where nobody said.
static std::string describeLocation(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().str();
  auto place = dyn_cast<FileLineColLoc>(location);
  if (!place)
    return "";
  std::string file = place.getFilename().str();
  if (place.getLine() == 0) // all of the file
    return file;
  return fmt::format("{}:{}:{}", file, place.getLine(), place.getColumn());
}

DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
            !message.empty())
          return;
        std::string where = describeLocation(diagnostic.getLocation());
        message =
            where.empty() ? diagnostic.str() : where + ": " + diagnostic.str();
        std::ranges::replace(message, '\n', ' ');
      }) {}

std::unexpected<Error> DiagnosticText::failure() const {
  return tandem::failure("{}",
                         message.empty() ? "compilation failed" : message);
}
