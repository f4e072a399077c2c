#pragma once

#include <expected>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>

namespace tandem {

/// Why something could not be done: one line that says what, where, got,
/// expected.
struct Error {
  std::string message;
};

/// A value, or the Error that stands in its way. Used everywhere outside MLIR's
/// own interfaces.
template <typename T> using Result = std::expected<T, Error>;

/// `return failure("{}: tensor '{}': got {}, expected {}", ...)`
template <typename... Args>
std::unexpected<Error> failure(fmt::format_string<Args...> format,
                               Args &&...args) {
  return std::unexpected(
      Error{fmt::format(format, std::forward<Args>(args)...)});
}

} // namespace tandem
