#pragma once

#include "backend/Executable.h"
#include "support/Result.h"

#include <string>

namespace tandem {

/// checkExecutable() for one program, once the rest of `executable` has been
/// checked; `where` is its place, such as "programs[0]".
Result<void> checkProgram(const Executable &executable, const Program &program,
                          std::string where);

} // namespace tandem
