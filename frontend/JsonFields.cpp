#include "frontend/JsonFields.h"

#include "support/MappedFile.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tandem {

Result<Json> parseJsonObject(std::string_view text, std::string_view where) {
  std::vector<std::set<std::string>> openObjects;
  std::optional<std::string> repeated;
  auto watchKeys = [&](int, Json::parse_event_t event, Json &parsed) {
    if (event == Json::parse_event_t::object_start)
      openObjects.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      openObjects.pop_back();
    else if (event == Json::parse_event_t::key && !repeated &&
             !openObjects.back().insert(parsed.get<std::string>()).second)
      repeated = shown(parsed);
    return true;
  };
  Json json;
  try {
    json = Json::parse(text.begin(), text.end(), watchKeys);
  } catch (const Json::parse_error &error) {
    return failure("{}: got text that is not JSON (at byte {}), expected a "
                   "JSON object",
                   where, error.byte);
  } catch (const Json::exception &) {
    return failure("{}: got a number that is too large, expected a JSON object",
                   where);
  }
  if (!json.is_object())
    return failure("{}: got {}, expected a JSON object", where, shown(json));
  if (repeated)
    return failure("{}: key {}: got it twice, expected once", where, *repeated);
  return json;
}

Result<Json> readJsonObject(const std::filesystem::path &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return std::unexpected(file.error());
  auto bytes = (*file)->bytes();
  return parseJsonObject(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
      path.string());
}

std::string shown(const Json &value) {
  constexpr size_t longest = 60;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= longest)
    return text;
  size_t end = longest;
  while (end > 0 && (text[end] & 0xc0) == 0x80) // inside a UTF-8 sequence
    --end;
  return text.substr(0, end) + "...";
}

const Json *JsonFields::find(std::string_view key) const {
  if (error)
    return nullptr;
  auto field = object.find(key);
  return field == object.end() ? nullptr : &*field;
}

void JsonFields::fail(std::string_view key, std::string_view got,
                      std::string_view expected) {
  if (!error)
    error = Error{
        fmt::format("{}: {}: got {}, expected {}", where, key, got, expected)};
}

Result<void> JsonFields::finish() const {
  if (error)
    return std::unexpected(*error);
  return {};
}

/// The integer that `value` is, if it fits and lies in [least, most].
static std::optional<int64_t> integerIn(const Json &value, int64_t least,
                                        int64_t most) {
  if (!value.is_number_integer())
    return std::nullopt;
  if (value.is_number_unsigned() &&
      value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    return std::nullopt;
  auto number = value.get<int64_t>();
  if (number < least || number > most)
    return std::nullopt;
  return number;
}

void JsonFields::integer(std::string_view key, int64_t least, int64_t most,
                         int64_t &value) {
  const Json *field = find(key);
  if (!field)
    return;
  if (auto number = integerIn(*field, least, most))
    value = *number;
  else
    fail(key, shown(*field),
         fmt::format("an integer from {} to {}", least, most));
}

void JsonFields::integerOrNull(std::string_view key, int64_t least,
                               int64_t most, int64_t &value) {
  const Json *field = find(key);
  if (field && !field->is_null())
    integer(key, least, most, value);
}

void JsonFields::boolean(std::string_view key, bool &value) {
  const Json *field = find(key);
  if (!field)
    return;
  if (field->is_boolean())
    value = field->get<bool>();
  else
    fail(key, shown(*field), "true or false");
}

void JsonFields::string(std::string_view key, std::string &value) {
  const Json *field = find(key);
  if (!field)
    return;
  if (field->is_string())
    value = field->get<std::string>();
  else
    fail(key, shown(*field), "a string");
}

void JsonFields::strings(std::string_view key,
                         std::vector<std::string> &value) {
  const Json *field = find(key);
  if (!field || field->is_null())
    return;
  bool fits =
      field->is_array() && std::ranges::all_of(*field, &Json::is_string);
  if (fits)
    value = field->get<std::vector<std::string>>();
  else
    fail(key, shown(*field), "a list of strings");
}

void JsonFields::absent(std::string_view key, std::string_view expected) {
  const Json *field = find(key);
  if (field && !field->is_null())
    fail(key, shown(*field), expected);
}

void JsonFields::number(std::string_view key, bool (*accepts)(double),
                        std::string_view expected, double &value) {
  const Json *field = find(key);
  if (!field || field->is_null())
    return;
  if (field->is_number() && std::isfinite(field->get<double>()) &&
      accepts(field->get<double>()))
    value = field->get<double>();
  else
    fail(key, shown(*field), expected);
}

void JsonFields::tokens(std::string_view key,
                        std::optional<std::vector<int64_t>> &value) {
  const Json *field = find(key);
  if (!field)
    return;
  std::vector<int64_t> ids;
  Json list = field->is_array()  ? *field
              : field->is_null() ? Json::array()
                                 : Json::array({*field});
  for (const Json &entry : list) {
    auto id = integerIn(entry, 0, INT32_MAX);
    if (!id)
      return fail(key, shown(*field), "a token id, a list of them or null");
    ids.push_back(*id);
  }
  value = std::move(ids);
}

} // namespace tandem
