#pragma once

#include "ir/Work.h"
#include "tools/Command.h"

namespace tandem {

/// The module as one document; its shape is in docs/dump.md.
Json moduleJson(mlir::ModuleOp module, llvm::StringRef stage);

/// {"constant": n, ..}: bytes by storage class, those that are not 0.
Json bytesJson(const Work::Bytes &bytes);

} // namespace tandem
