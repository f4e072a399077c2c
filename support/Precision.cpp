#include "support/Precision.h"

#include <algorithm>

namespace tandem {

namespace {

struct Entry {
  Precision precision;
  std::string_view name;
  ElementType weight, activation;
};

constexpr Entry entries[] = {
    {Precision::F32, "f32", ElementType::F32, ElementType::F32},
    {Precision::BF16, "bf16", ElementType::BF16, ElementType::BF16},
    {Precision::Int8, "int8", ElementType::QInt8, ElementType::QInt8},
    {Precision::Int4, "int4", ElementType::QInt4, ElementType::QInt8},
};

const Entry &entryOf(Precision precision) {
  return *std::ranges::find(entries, precision, &Entry::precision);
}

} // namespace

std::string_view name(Precision precision) { return entryOf(precision).name; }

std::vector<std::string> precisionNames() {
  std::vector<std::string> names;
  for (const Entry &entry : entries)
    names.emplace_back(entry.name);
  return names;
}

std::optional<Precision> parsePrecision(std::string_view name) {
  const auto *entry = std::ranges::find(entries, name, &Entry::name);
  return entry == std::end(entries) ? std::nullopt
                                    : std::optional(entry->precision);
}

ElementType weightType(Precision precision) {
  return entryOf(precision).weight;
}

ElementType activationType(Precision precision) {
  return entryOf(precision).activation;
}

} // namespace tandem
