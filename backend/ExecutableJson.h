#pragma once

#include "backend/Executable.h"
#include "support/Result.h"

#include <nlohmann/json.hpp>

namespace tandem {

/// An Executable as JSON: every field under its name in snake_case, and nothing
/// else. Numbers keep every bit; texts must be UTF-8.
nlohmann::json toJson(const Executable &executable);

/// The way back. A key that is missing or unknown, a value of another type and
/// whatever checkExecutable() refuses is an error that names the place:
/// "programs[0].values[3].offset: got 96, expected 0 to 64".
Result<Executable> executableFromJson(const nlohmann::json &json);

} // namespace tandem
