#pragma once

#include "support/Result.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

using Json = nlohmann::json;

/// Parses a JSON object. Refuses bad JSON, anything but an object at the top
/// and, since one of them would silently win, a key given twice. `where` names
/// the file in messages.
Result<Json> parseJsonObject(std::string_view text, std::string_view where);

/// The same, from a file.
Result<Json> readJsonObject(const std::filesystem::path &path);

/// A JSON value, or a name that came from a file, as one short line for a
/// message: quoted, escaped, cut after about 60 bytes.
std::string shown(const Json &value);

/// Reads the fields of one JSON object into variables that hold the defaults.
/// A key that is absent leaves its variable alone. After the first error the
/// rest is skipped, so that a reader is a plain list of fields and one check.
class JsonFields {
public:
  JsonFields(const Json &object, std::string where)
      : object(object), where(std::move(where)) {}

  /// An integer in [least, most].
  void integer(std::string_view key, int64_t least, int64_t most,
               int64_t &value);
  /// The same, but null counts as absent.
  void integerOrNull(std::string_view key, int64_t least, int64_t most,
                     int64_t &value);
  void boolean(std::string_view key, bool &value);
  void string(std::string_view key, std::string &value);
  /// A list of strings; null counts as absent.
  void strings(std::string_view key, std::vector<std::string> &value);
  /// Nothing, or null: `expected` says why there is no place for more.
  void absent(std::string_view key, std::string_view expected);
  /// A finite number for which `accepts` holds; `expected` says so in words.
  /// Null counts as absent.
  void number(std::string_view key, bool (*accepts)(double),
              std::string_view expected, double &value);
  /// Token ids: an integer, a list of them, or null for none.
  void tokens(std::string_view key, std::optional<std::vector<int64_t>> &value);

  /// "FILE: key: got G, expected E".
  void fail(std::string_view key, std::string_view got,
            std::string_view expected);
  /// The first thing that was wrong, if anything.
  Result<void> finish() const;

private:
  /// The value to read; null if it is absent or an error came before.
  const Json *find(std::string_view key) const;

  const Json &object;
  std::string where;
  std::optional<Error> error;
};

} // namespace tandem
