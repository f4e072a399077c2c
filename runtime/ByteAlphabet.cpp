#include "runtime/ByteAlphabet.h"

#include <array>

namespace tandem {

namespace {

constexpr uint32_t firstStandIn = 0x100;
constexpr size_t numStandIns = 68;

constexpr bool standsForItself(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
         (byte >= 0xAE && byte <= 0xFF);
}

/// The bytes that U+0100, U+0101, ... stand for.
constexpr std::array<uint8_t, numStandIns> hiddenBytes = [] {
  std::array<uint8_t, numStandIns> bytes{};
  size_t count = 0;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (!standsForItself(byte))
      bytes[count++] = static_cast<uint8_t>(byte);
  return bytes;
}();

uint32_t codePointOf(uint8_t byte) {
  if (standsForItself(byte))
    return byte;
  uint32_t codePoint = firstStandIn;
  while (hiddenBytes[codePoint - firstStandIn] != byte)
    ++codePoint;
  return codePoint;
}

} // namespace

std::string byteSymbol(uint8_t byte) {
  uint32_t codePoint = codePointOf(byte);
  if (codePoint < 0x80)
    return {static_cast<char>(codePoint)};
  return {static_cast<char>(0xC0 | codePoint >> 6),
          static_cast<char>(0x80 | (codePoint & 0x3F))};
}

std::string tokenToBytes(std::string_view token) {
  std::string bytes;
  for (size_t i = 0; i < token.size(); ++i) {
    uint32_t codePoint = static_cast<uint8_t>(token[i]);
    if (codePoint >= 0xC2 && codePoint <= 0xC5 && i + 1 < token.size())
      codePoint =
          (codePoint & 0x1F) << 6 | (static_cast<uint8_t>(token[++i]) & 0x3F);
    else if (codePoint >= 0x80)
      return std::string(token);
    if (codePoint < firstStandIn && standsForItself(codePoint))
      bytes += static_cast<char>(codePoint);
    else if (codePoint >= firstStandIn &&
             codePoint < firstStandIn + numStandIns)
      bytes += static_cast<char>(hiddenBytes[codePoint - firstStandIn]);
    else
      return std::string(token);
  }
  return bytes;
}

} // namespace tandem
