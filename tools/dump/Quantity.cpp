#include "tools/dump/Quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem {

namespace {

/// 9.95 of a unit is 10 of it, and 999.5 is 1.0 of the next.
std::string scaled(int64_t count, std::string_view unit) {
  constexpr std::string_view prefixes[] = {"", "K", "M", "G", "T"};
  double value = static_cast<double>(count);
  size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < std::size(prefixes)) {
    value /= 1000;
    ++prefix;
  }
  bool hasFraction = prefix > 0 && value < 9.95;
  return fmt::format("{:.{}f} {}{}", value, hasFraction ? 1 : 0,
                     prefixes[prefix], unit);
}

} // namespace

std::string bytesText(int64_t bytes) { return scaled(bytes, "B"); }

std::string flopText(int64_t flop) { return scaled(flop, "FLOP"); }

std::string bytesText(const Work::Bytes &bytes) {
  std::vector<std::string> parts;
  for (Storage storage : allStorages)
    if (int64_t count = bytes[static_cast<size_t>(storage)])
      parts.push_back(
          fmt::format("{} {}", bytesText(count), name(storage).str()));
  return parts.empty() ? bytesText(int64_t{0})
                       : fmt::format("{}", fmt::join(parts, " + "));
}

std::string workText(const Work &work) {
  std::vector<std::string> parts = {"reads " + bytesText(work.read),
                                    "writes " + bytesText(work.written)};
  if (work.flop)
    parts.push_back(flopText(work.flop));
  return fmt::format("{}{}", work.isBound ? "at most: " : "",
                     fmt::join(parts, "; "));
}

} // namespace tandem
