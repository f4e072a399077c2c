#pragma once

#include "support/Result.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

/// Plain structs to JSON and back, both from one list of fields, so that what
/// is written is what is read. Reading is strict: a key that is missing or
/// unknown, or a value of another type, is an error.
namespace tandem {

using JsonValue = nlohmann::json;

template <typename Record, typename Member> struct JsonField {
  std::string_view key;
  Member Record::*member;
};

/// Specialised for a struct: `static constexpr std::tuple
/// fields{JsonField{"key", &Struct::member}, ...}`.
template <typename Record> struct JsonRecord;

/// Specialised for an enumeration: `static constexpr std::string_view names[]`,
/// in the order of its values, which count from 0.
template <typename Enum> struct JsonNames;

/// Where in a document a value stands; reads as "programs[3].values[12].shape".
struct JsonPath {
  const JsonPath *parent = nullptr;
  std::string key; // empty: `index` counts
  size_t index = 0;

  std::string text() const;
};

/// Parses text that holds nothing but one JSON object.
Result<JsonValue> parseRecord(std::string_view text);

namespace json {

template <typename T> inline constexpr bool isVector = false;
template <typename T> inline constexpr bool isVector<std::vector<T>> = true;
template <typename T> inline constexpr bool isMap = false;
template <typename T>
inline constexpr bool isMap<std::map<std::string, T>> = true;
template <typename T> inline constexpr bool isPair = false;
template <typename A, typename B>
inline constexpr bool isPair<std::pair<A, B>> = true;
template <typename T> inline constexpr bool isOptional = false;
template <typename T> inline constexpr bool isOptional<std::optional<T>> = true;
template <typename T> inline constexpr bool isVariant = false;
template <typename... Ts>
inline constexpr bool isVariant<std::variant<Ts...>> = true;
template <typename T>
concept Record = requires { JsonRecord<T>::fields; };
template <typename T>
concept Named = requires { JsonNames<T>::names; };

} // namespace json

template <typename T> JsonValue toJson(const T &value) {
  if constexpr (json::Named<T>) {
    return std::string(JsonNames<T>::names[static_cast<size_t>(value)]);
  } else if constexpr (json::isVector<T>) {
    JsonValue array = JsonValue::array();
    for (const auto &element : value)
      array.push_back(toJson(element));
    return array;
  } else if constexpr (json::isMap<T>) {
    JsonValue object = JsonValue::object();
    for (const auto &[key, element] : value)
      object[key] = toJson(element);
    return object;
  } else if constexpr (json::isPair<T>) {
    return JsonValue::array({toJson(value.first), toJson(value.second)});
  } else if constexpr (json::isOptional<T>) {
    return value ? toJson(*value) : JsonValue();
  } else if constexpr (json::Record<T>) {
    JsonValue object = JsonValue::object();
    std::apply(
        [&](auto... field) {
          ((object[std::string(field.key)] = toJson(value.*field.member)), ...);
        },
        JsonRecord<T>::fields);
    return object;
  } else if constexpr (json::isVariant<T>) {
    return std::visit([](const auto &held) { return JsonValue(held); }, value);
  } else {
    return JsonValue(value);
  }
}

/// Reads values and remembers the first thing that does not fit; the rest is
/// then skipped.
class JsonReader {
public:
  template <typename T>
  void read(const JsonValue &json, const JsonPath &path, T &value);

  Result<void> finish() const;

private:
  using Scalar =
      std::variant<int64_t, double, std::string, std::vector<int64_t>>;

  void fail(const JsonPath &path, const JsonValue &got,
            std::string_view expected);
  void failKeys(const JsonPath &path, const JsonValue &object,
                std::span<const std::string_view> keys);
  int64_t integer(const JsonValue &json, const JsonPath &path, int64_t least,
                  int64_t most);
  size_t choice(const JsonValue &json, const JsonPath &path,
                std::span<const std::string_view> names);
  void read(const JsonValue &json, const JsonPath &path, bool &value);
  void read(const JsonValue &json, const JsonPath &path, double &value);
  void read(const JsonValue &json, const JsonPath &path, std::string &value);
  void read(const JsonValue &json, const JsonPath &path, Scalar &value);
  template <typename T>
  void readRecord(const JsonValue &, const JsonPath &, T &);

  std::optional<Error> error;
};

/// `json` as a T, or what is wrong with it.
template <typename T> Result<T> fromJson(const JsonValue &json) {
  T value{};
  JsonReader reader;
  reader.read(json, JsonPath{}, value);
  if (auto done = reader.finish(); !done)
    return std::unexpected(done.error());
  return value;
}

template <typename T>
void JsonReader::readRecord(const JsonValue &json, const JsonPath &path,
                            T &value) {
  if (!json.is_object())
    return fail(path, json, "an object");
  auto readField = [&](auto field) {
    if (auto found = json.find(field.key); found != json.end() && !error)
      read(*found, JsonPath{&path, std::string(field.key)},
           value.*field.member);
    return field.key;
  };
  auto keys =
      std::apply([&](auto... field) { return std::array{readField(field)...}; },
                 JsonRecord<T>::fields);
  failKeys(path, json, keys);
}

template <typename T>
void JsonReader::read(const JsonValue &json, const JsonPath &path, T &value) {
  if constexpr (json::Named<T>) {
    value = static_cast<T>(choice(json, path, JsonNames<T>::names));
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(integer(json, path, std::numeric_limits<T>::min(),
                                   std::numeric_limits<T>::max()));
  } else if constexpr (json::isVector<T>) {
    if (!json.is_array())
      return fail(path, json, "a list");
    value.resize(json.size());
    for (size_t i = 0; i < value.size() && !error; ++i)
      read(json[i], JsonPath{&path, "", i}, value[i]);
  } else if constexpr (json::isMap<T>) {
    if (!json.is_object())
      return fail(path, json, "an object");
    for (const auto &[key, element] : json.items())
      read(element, JsonPath{&path, key}, value[key]);
  } else if constexpr (json::isPair<T>) {
    if (!json.is_array() || json.size() != 2)
      return fail(path, json, "a list of two");
    read(json[0], JsonPath{&path, "", 0}, value.first);
    read(json[1], JsonPath{&path, "", 1}, value.second);
  } else if constexpr (json::isOptional<T>) {
    if (!json.is_null())
      read(json, path, value.emplace());
  } else {
    readRecord(json, path, value);
  }
}

} // namespace tandem
