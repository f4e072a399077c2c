#include "tools/Lines.h"

#include "tools/Options.h"

namespace tandem {

Result<std::vector<std::string>> readLines(const std::filesystem::path &path) {
  InputOptions input;
  input.file = path;
  auto text = readText(input);
  if (!text)
    return std::unexpected(text.error());
  std::vector<std::string> lines;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    lines.emplace_back(line);
    if (line.empty())
      return failure("{}: line {}: got an empty line, expected none",
                     path.string(), lines.size());
  }
  if (lines.empty())
    return failure("{}: got no lines, expected at least 1", path.string());
  return lines;
}

} // namespace tandem
