#include "runtime/Utf8.h"

#include <algorithm>
#include <cstdint>

namespace tandem {

namespace {

constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD"; // U+FFFD

/// What may follow a first byte (Unicode 15, table 3-7).
struct Continuation {
  size_t count = 0;         // bytes after the first; 0: starts no character
  uint8_t secondLow = 0x80; // range of the byte right after the first
  uint8_t secondHigh = 0xBF;
};

Continuation continuationAfter(uint8_t first) {
  if (first >= 0xC2 && first <= 0xDF)
    return {.count = 1};
  if (first == 0xE0)
    return {.count = 2, .secondLow = 0xA0};
  if (first == 0xED) // no surrogates
    return {.count = 2, .secondHigh = 0x9F};
  if (first >= 0xE1 && first <= 0xEF)
    return {.count = 2};
  if (first == 0xF0)
    return {.count = 3, .secondLow = 0x90};
  if (first >= 0xF1 && first <= 0xF3)
    return {.count = 3};
  if (first == 0xF4) // nothing past U+10FFFF
    return {.count = 3, .secondHigh = 0x8F};
  return {};
}

} // namespace

Utf8Unit readUtf8Unit(std::string_view bytes, size_t offset) {
  using Kind = Utf8Unit::Kind;
  auto first = static_cast<uint8_t>(bytes[offset]);
  if (first < 0x80)
    return {Kind::Character, 1};
  Continuation rest = continuationAfter(first);
  if (rest.count == 0)
    return {Kind::Invalid, 1};
  uint8_t low = rest.secondLow;
  uint8_t high = rest.secondHigh;
  for (size_t i = 1; i <= rest.count; ++i) {
    if (offset + i == bytes.size())
      return {Kind::Cut, i};
    auto byte = static_cast<uint8_t>(bytes[offset + i]);
    if (byte < low || byte > high)
      return {Kind::Invalid, i};
    low = 0x80;
    high = 0xBF;
  }
  return {Kind::Character, rest.count + 1};
}

std::string maskInvalidUtf8(std::string_view bytes, char substitute) {
  std::string masked(bytes);
  for (size_t offset = 0; offset < bytes.size();) {
    Utf8Unit unit = readUtf8Unit(bytes, offset);
    if (unit.kind != Utf8Unit::Kind::Character)
      std::fill_n(masked.begin() + static_cast<std::ptrdiff_t>(offset),
                  unit.sizeInBytes, substitute);
    offset += unit.sizeInBytes;
  }
  return masked;
}

bool isValidUtf8(std::string_view bytes) {
  for (size_t offset = 0; offset < bytes.size();) {
    Utf8Unit unit = readUtf8Unit(bytes, offset);
    if (unit.kind != Utf8Unit::Kind::Character)
      return false;
    offset += unit.sizeInBytes;
  }
  return true;
}

size_t appendReplacingInvalid(std::string_view bytes, Utf8End end,
                              std::string &text) {
  size_t offset = 0;
  while (offset < bytes.size()) {
    Utf8Unit unit = readUtf8Unit(bytes, offset);
    if (unit.kind == Utf8Unit::Kind::Cut && end == Utf8End::MoreMayFollow)
      break;
    if (unit.kind == Utf8Unit::Kind::Character)
      text.append(bytes, offset, unit.sizeInBytes);
    else
      text.append(replacementCharacter);
    offset += unit.sizeInBytes;
  }
  return offset;
}

} // namespace tandem
