#include "backend/JsonRecord.h"

#include <algorithm>
#include <cctype>
#include <fmt/ranges.h>

namespace tandem {

/// A value as one short line of ASCII.
static std::string shortText(const JsonValue &value) {
  constexpr size_t longest = 60;
  if (value.is_structured())
    return value.is_array() ? "a list" : "an object";
  std::string text =
      value.dump(-1, ' ', true, JsonValue::error_handler_t::replace);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

static bool isPlainKey(std::string_view key) {
  return key.size() <= 60 && std::ranges::all_of(key, [](unsigned char c) {
           return std::isalnum(c) || c == '_';
         });
}

std::string JsonPath::text() const {
  std::string before = parent ? parent->text() : "";
  if (!parent)
    return before;
  if (key.empty())
    return fmt::format("{}[{}]", before, index);
  return (before.empty() ? "" : before + ".") +
         (isPlainKey(key) ? key : shortText(key));
}

Result<JsonValue> parseRecord(std::string_view text) {
  JsonValue json = JsonValue::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object())
    return failure("got text that is not JSON, or no object, expected a JSON "
                   "object");
  return json;
}

Result<void> JsonReader::finish() const {
  if (error)
    return std::unexpected(*error);
  return {};
}

void JsonReader::fail(const JsonPath &path, const JsonValue &got,
                      std::string_view expected) {
  if (!error)
    error = Error{fmt::format("{}: got {}, expected {}", path.text(),
                              shortText(got), expected)};
}

void JsonReader::failKeys(const JsonPath &path, const JsonValue &object,
                          std::span<const std::string_view> keys) {
  if (error)
    return;
  for (std::string_view key : keys)
    if (!object.contains(key)) {
      error = Error{fmt::format("{}: got none, expected one",
                                JsonPath{&path, std::string(key)}.text())};
      return;
    }
  if (object.size() == keys.size())
    return;
  for (const auto &[key, value] : object.items())
    if (std::ranges::find(keys, key) == keys.end()) {
      error = Error{fmt::format("{}: got a key that is unknown",
                                JsonPath{&path, key}.text())};
      return;
    }
}

int64_t JsonReader::integer(const JsonValue &json, const JsonPath &path,
                            int64_t least, int64_t most) {
  bool fits = json.is_number_integer() &&
              (!json.is_number_unsigned() ||
               json.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
  int64_t value = fits ? json.get<int64_t>() : 0;
  if (!fits || value < least || value > most)
    fail(path, json, fmt::format("an integer from {} to {}", least, most));
  return value;
}

size_t JsonReader::choice(const JsonValue &json, const JsonPath &path,
                          std::span<const std::string_view> names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (json.is_string() && json.get_ref<const std::string &>() == names[i])
      return i;
  fail(path, json, fmt::format("one of {}", fmt::join(names, ", ")));
  return 0;
}

void JsonReader::read(const JsonValue &json, const JsonPath &path,
                      bool &value) {
  if (!json.is_boolean())
    return fail(path, json, "true or false");
  value = json.get<bool>();
}

void JsonReader::read(const JsonValue &json, const JsonPath &path,
                      double &value) {
  if (!json.is_number())
    return fail(path, json, "a number");
  value = json.get<double>();
}

void JsonReader::read(const JsonValue &json, const JsonPath &path,
                      std::string &value) {
  if (!json.is_string())
    return fail(path, json, "a string");
  value = json.get_ref<const std::string &>();
}

void JsonReader::read(const JsonValue &json, const JsonPath &path,
                      Scalar &value) {
  if (json.is_string())
    value = json.get<std::string>();
  else if (json.is_number_float())
    value = json.get<double>();
  else if (json.is_number_integer())
    read(json, path, value.emplace<int64_t>());
  else if (json.is_array())
    read(json, path, value.emplace<std::vector<int64_t>>());
  else
    fail(path, json, "an integer, a number, a string or a list of integers");
}

} // namespace tandem
