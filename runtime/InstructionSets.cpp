#include "runtime/InstructionSets.h"

#include <fmt/ranges.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace tandem {

Result<std::set<std::string>> hostInstructionSets() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) {
      std::istringstream flags(line.substr(line.find(':') + 1));
      std::set<std::string> names;
      for (std::string name; flags >> name;)
        names.insert(name);
      return names;
    }
  return failure("/proc/cpuinfo: got no line 'flags', expected one");
}

Result<void> requireInstructionSets(std::span<const std::string> names) {
  if (names.empty())
    return {};
  auto host = hostInstructionSets();
  if (!host)
    return std::unexpected(host.error());
  std::vector<std::string> missing;
  for (const std::string &name : names)
    if (!host->contains(name)) // quoted: it may hold anything
      missing.push_back(nlohmann::json(name).dump(
          -1, ' ', true, nlohmann::json::error_handler_t::replace));
  if (!missing.empty())
    return failure("instruction sets: got a processor without {}, expected one "
                   "that has what the model was compiled for",
                   fmt::join(missing, ", "));
  return {};
}

} // namespace tandem
