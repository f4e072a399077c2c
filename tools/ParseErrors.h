#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tandem {

/// What is wrong with a command line, in one line that says what was got and
/// what was expected. `tool`: what threw `error` while it parsed.
std::string explain(const CLI::ParseError &error, const CLI::App &tool);

} // namespace tandem
